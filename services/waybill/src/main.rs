use std::process::ExitCode;

/// A tenth of a request's time went into allocation with the system's own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    waybill::cli::main()
}
