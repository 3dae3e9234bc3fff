# Prints README.md with the first table of docs/checks.md between its two markers: awk -f docs/readme.awk docs/checks.md README.md
FNR == NR && /^## / { full = 1 }
FNR == NR { if (/^\|/ && !full) { gsub(/\]\(\.\.\//, "]("); table = table $0 "\n" } next }
/<!-- \/checks -->/ { inside = 0 }
!inside { print }
/<!-- checks -->/ { printf "\n%s\n", table; inside = 1 }
