use std::process::ExitCode;

fn main() -> ExitCode {
    waybill::cli::main()
}
