use std::process::ExitCode;

/// The system's allocator took a tenth of a request's time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    waybill::cli::main()
}
