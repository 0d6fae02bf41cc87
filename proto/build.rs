//! Compiles the contracts with protox, so that a build does not require protoc.

use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files = [
        "waybill/common/v1/common.proto",
        "waybill/analytics/v1/analytics.proto",
        "waybill/auth/v1/auth.proto",
        "waybill/auth/v1/report_mail.proto",
        "waybill/deliveries/v1/delivery.proto",
        "waybill/deliveries/v1/deliveries.proto",
        "waybill/deliveries/v1/bulk.proto",
        "waybill/deliveries/v1/dead_letters.proto",
        "waybill/deliveries/v1/intake.proto",
        "waybill/deliveries/v1/parties.proto",
        "waybill/deliveries/v1/proof.proto",
        "waybill/deliveries/v1/snapshot.proto",
        "waybill/drivers/v1/drivers.proto",
        "waybill/drivers/v1/snapshot.proto",
        "waybill/settings/v1/announcements.proto",
        "waybill/settings/v1/logo.proto",
        "waybill/settings/v1/report_schedules.proto",
        "waybill/settings/v1/reports.proto",
        "waybill/settings/v1/saved_views.proto",
        "waybill/settings/v1/settings.proto",
        "waybill/upload/v1/mapping.proto",
        "waybill/upload/v1/rows.proto",
        "waybill/upload/v1/saved_mappings.proto",
        "waybill/upload/v1/upload.proto",
        "waybill/events/v1/events.proto",
    ];
    println!("cargo:rerun-if-changed=waybill");
    let descriptors = protox::compile(files, ["."])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.binpb"), prost::Message::encode_to_vec(&descriptors))?;
    tonic_prost_build::configure().compile_fds(descriptors)?;
    Ok(())
}
