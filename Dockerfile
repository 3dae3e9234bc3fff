# One static program and nothing else: no shell, no libraries, no package manager.

# On Alpine the Rust toolchain links musl statically by itself.
FROM rust:1.95-alpine AS builder
# aws-lc-rs compiles C and includes kernel headers; on the musl targets it asks for nothing more (no CMake, no bindgen). jemalloc
# comes with a Makefile.
RUN apk add --no-cache gcc linux-headers make musl-dev
WORKDIR /source
COPY . .
# The program brings its own allocator (src/main.rs, .cargo/config.toml): musl's is slow where many threads allocate at once.
RUN cargo build --release --locked --bin portcullis

FROM scratch
COPY --from=builder /source/target/release/portcullis /portcullis
USER 65532:65532
EXPOSE 9443 8080
ENTRYPOINT ["/portcullis"]
