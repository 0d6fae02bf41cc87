//! The checked-in schema, which the frontend is built from, is the one that the code defines.

use std::path::Path;

#[test]
fn the_exported_schema_is_the_one_in_the_tree() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema.graphql");
    if std::env::var_os("WAYBILL_WRITE_SCHEMA").is_some() {
        std::fs::write(&file, gateway::sdl()).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(
        kept == gateway::sdl(),
        "gateway/schema.graphql is not what the code says; `just schema` writes it anew"
    );
}

#[test]
fn the_spellings_the_product_fixes() {
    let sdl = gateway::sdl();
    for line in [
        "Complete_No_Variance",
        "imported_with_errors",
        "limit: Int = 25",
        "offset: Int = 0",
        "operator: String!",
        "deliveries(page: PageOptions): [Delivery!]!",
        "deliveriesCount(where: [Filter!]): Count!",
        "uploadRows(page: PageOptions, uploadLog: String!): [UploadRow!]!",
        "currentUser: JSON",
        "sizeBytes: Float!",
        "version: Int!",
        "createAdmin(input: CreateAdminInput!): CreatedUser!",
        "users(page: PageOptions): [User!]!",
        "updateUserRoles(input: UpdateUserRolesInput!): User!",
        "createResetLink(input: CreateResetLinkInput!): ResetLink!",
        "auditEntriesCount(where: [Filter!]): Count!",
        "mySessions: [Session!]!",
        "before: JSON",
        "invited",
    ] {
        assert!(sdl.contains(line), "{line} is not in\n{sdl}");
    }
}
