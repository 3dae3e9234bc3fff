# One static program and nothing else: no shell, no libraries, no package manager.

# On Alpine the Rust toolchain links musl statically by itself.
FROM rust:1.95-alpine AS builder
# aws-lc-rs compiles C and includes kernel headers; on the musl targets it asks for nothing more (no CMake, no bindgen).
RUN apk add --no-cache gcc linux-headers musl-dev
WORKDIR /source
COPY . .
# musl's allocator is slower than others when many threads allocate at once. A review makes a few dozen small allocations, so that
# it is the whole cost of a review that decides, and nothing more is linked in for it.
RUN cargo build --release --locked --bin portcullis

FROM scratch
COPY --from=builder /source/target/release/portcullis /portcullis
USER 65532:65532
EXPOSE 9443 8080
ENTRYPOINT ["/portcullis"]
