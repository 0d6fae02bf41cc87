use std::process::ExitCode;

/// Replaces the system's allocator, which would take a tenth of a request's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    waybill::cli::main()
}
