//! Every field of the graph, with somebody who may and somebody who may not.

use kit::Role;

use crate::world::{World, first_error};

/// Every way to change a delivery and what belongs to it, at its shortest.
const DELIVERY_CHANGES: [(&str, &str); 17] = [
    (
        "createDelivery",
        r#"mutation { createDelivery(input: { id: "D-1", shipmentnumber: "S", customername: "C", scheduledatetime: "2027-01-15T08:00:00Z" }) { id } }"#,
    ),
    (
        "updateDelivery",
        r#"mutation { updateDelivery(input: { id: "D-1", version: 7, shipmentnumber: "S", customername: "C", scheduledatetime: "2027-01-15T08:00:00Z" }) { id } }"#,
    ),
    (
        "createDeliveryItem",
        r#"mutation { createDeliveryItem(input: { deliveryId: "D-1", version: 7, item: { itemNumber: "1", quantity: 1 } }) { id } }"#,
    ),
    (
        "updateDeliveryItem",
        r#"mutation { updateDeliveryItem(input: { deliveryId: "D-1", version: 7, item: { itemNumber: "1", quantity: 1 } }) { id } }"#,
    ),
    (
        "deleteDeliveryItem",
        r#"mutation { deleteDeliveryItem(input: { deliveryId: "D-1", version: 7, itemNumber: "1" }) { id } }"#,
    ),
    ("assignDriver", r#"mutation { assignDriver(input: { deliveryIds: ["D-1"] }) { ok } }"#),
    (
        "recordOutcome",
        r#"mutation { recordOutcome(input: { deliveryId: "D-1", clientEventId: "e" }) { id } }"#,
    ),
    (
        "rescheduleDelivery",
        r#"mutation { rescheduleDelivery(input: { deliveryId: "D-1", version: 7, clientEventId: "e", scheduledatetime: "2027-01-15T08:00:00Z" }) { id } }"#,
    ),
    (
        "rescheduleDeliveries",
        r#"mutation { rescheduleDeliveries(input: { deliveryIds: ["D-1"], clientEventId: "e", scheduledatetime: "2027-01-15T08:00:00Z" }) { ok } }"#,
    ),
    (
        "changeDispatchTimes",
        r#"mutation { changeDispatchTimes(input: { changes: [{ deliveryId: "D-1", version: 7, scheduledatetime: "2027-01-15T08:00:00Z" }] }) { ok } }"#,
    ),
    (
        "correctDelivery",
        r#"mutation { correctDelivery(input: { deliveryId: "D-1", version: 7, clientEventId: "e", reason: "r" }) { id } }"#,
    ),
    ("resolveConflict", r#"mutation { resolveConflict(input: { deliveryId: "D-1", version: 7 }) { id } }"#),
    (
        "requestAttachmentLink",
        r#"mutation { requestAttachmentLink(input: { deliveryId: "D-1", filename: "a.png" }) { url } }"#,
    ),
    (
        "addAttachment",
        r#"mutation { addAttachment(input: { deliveryId: "D-1", url: "/objects/proof/x", kind: photo }) { id } }"#,
    ),
    (
        "updateCustomer",
        r#"mutation { updateCustomer(input: { customerName: "C", version: 1 }) { customerName } }"#,
    ),
    ("createSource", r#"mutation { createSource(input: { name: "S" }) { id } }"#),
    (
        "updateSource",
        r#"mutation { updateSource(input: { id: "src", version: 1, name: "S", isActive: true }) { id } }"#,
    ),
];

/// Dead letters and where outcomes are sent; for administrators.
const DEAD_LETTERS: [(&str, &str); 16] = [
    ("deliveryDeadLetters", "{ deliveryDeadLetters { id } }"),
    ("deliveryDeadLettersCount", "{ deliveryDeadLettersCount { total } }"),
    ("deliveryDeadLetter", r#"{ deliveryDeadLetter(id: "00000000-0000-7000-8000-000000000001") { id } }"#),
    ("deadLetterGroups", "{ deadLetterGroups { count } }"),
    ("deadLetterJob", r#"{ deadLetterJob(id: "00000000-0000-7000-8000-000000000001") { id } }"#),
    ("deadLetterJobs", "{ deadLetterJobs { id } }"),
    (
        "resendDeadLetter",
        r#"mutation { resendDeadLetter(id: "00000000-0000-7000-8000-000000000001") { id } }"#,
    ),
    (
        "resendDeadLetters",
        r#"mutation { resendDeadLetters(input: { jobId: "00000000-0000-7000-8000-000000000001" }) { id } }"#,
    ),
    (
        "discardDeadLetters",
        r#"mutation { discardDeadLetters(input: { jobId: "00000000-0000-7000-8000-000000000001" }, reason: "A") { id } }"#,
    ),
    (
        "cancelDeadLetterJob",
        r#"mutation { cancelDeadLetterJob(id: "00000000-0000-7000-8000-000000000001") { id } }"#,
    ),
    ("outboundEndpoints", "{ outboundEndpoints { id } }"),
    (
        "saveOutboundEndpoint",
        r#"mutation { saveOutboundEndpoint(input: { name: "A", url: "https://a.example", isActive: true, methods: [], sourceIds: [] }) { id } }"#,
    ),
    (
        "deleteOutboundEndpoint",
        r#"mutation { deleteOutboundEndpoint(id: "00000000-0000-7000-8000-000000000001", version: 7) }"#,
    ),
    (
        "rotateOutboundSecret",
        r#"mutation { rotateOutboundSecret(id: "00000000-0000-7000-8000-000000000001", version: 7) { id } }"#,
    ),
    (
        "resumeOutboundEndpoint",
        r#"mutation { resumeOutboundEndpoint(id: "00000000-0000-7000-8000-000000000001") { id } }"#,
    ),
    (
        "testOutboundEndpoint",
        r#"mutation { testOutboundEndpoint(id: "00000000-0000-7000-8000-000000000001") { ms } }"#,
    ),
];

#[tokio::test]
async fn every_field_is_guarded_but_the_public_ones() {
    let world = World::new();
    let public = ["redwood", "adminNeeded", "signUpPolicy", "sendsMail", "createAdmin"];
    let staff = [
        ("delivery", r#"{ delivery(id: "D-1") { id } }"#),
        ("deliveries", "{ deliveries { id } }"),
        ("deliveriesCount", "{ deliveriesCount { total } }"),
        ("customers", "{ customers { customerName } }"),
        ("customersCount", "{ customersCount { total } }"),
        ("sources", "{ sources { id } }"),
        ("sourcesCount", "{ sourcesCount { total } }"),
        ("uploadLog", r#"{ uploadLog(id: "log-1") { id } }"#),
        ("uploadLogs", "{ uploadLogs { id } }"),
        ("uploadLogsCount", "{ uploadLogsCount { total } }"),
        ("uploadRows", r#"{ uploadRows(uploadLog: "log-1") { rowNumber } }"#),
        ("uploadWarnings", r#"{ uploadWarnings(uploadLog: "log-1") { code } }"#),
        ("uploadChanges", r#"{ uploadChanges(uploadLog: "log-1") { field } }"#),
        ("undoExceptions", r#"{ undoExceptions(uploadLog: "log-1") { code } }"#),
        ("uploadRowsCount", r#"{ uploadRowsCount(uploadLog: "log-1") { total } }"#),
        ("getTruckerDrilldown", r#"{ getTruckerDrilldown(startsWith: "H") }"#),
        ("deliveryItem", r#"{ deliveryItem(deliveryId: "D-1", itemNumber: "1") { sku } }"#),
        ("deliveryForm", r#"{ deliveryForm(deliveryId: "D-1") { formVersion } }"#),
        ("deliveryStatusHistories", "{ deliveryStatusHistories { id } }"),
        ("deliveryStatusHistoriesCount", "{ deliveryStatusHistoriesCount { total } }"),
        ("reasons", "{ reasons { code } }"),
        ("customer", r#"{ customer(customerName: "A/B 100% Co") { code } }"#),
        ("source", r#"{ source(id: "src") { name } }"#),
        ("addresses", "{ addresses { address } }"),
        ("addressesCount", "{ addressesCount { total } }"),
        ("driver", r#"{ driver(driverId: "D/1") { name } }"#),
        ("drivers", "{ drivers { driverId } }"),
        ("driversCount", "{ driversCount { total } }"),
        ("unpairedDevices", "{ unpairedDevices { uniqueId } }"),
        ("driverLog", r#"{ driverLog(id: "l-2") { activity } }"#),
        ("driverLogs", "{ driverLogs { id } }"),
        ("driverLogsCount", "{ driverLogsCount { total } }"),
        (
            "driverPositions",
            r#"{ driverPositions(driverId: "D", from: "2027-01-15T08:00:00Z", to: "2027-01-16T08:00:00Z") { more } }"#,
        ),
        ("driverLocations", "{ driverLocations { more } }"),
        (
            "driverDays",
            r#"{ driverDays(driverIds: ["D"], from: "2027-01-15T08:00:00Z", to: "2027-01-16T08:00:00Z") { total } }"#,
        ),
        ("myAnnouncements", "{ myAnnouncements { id } }"),
        (
            "markAnnouncements",
            r#"mutation { markAnnouncements(input: { ids: ["a"], dismiss: true }) { id } }"#,
        ),
        ("findSystemSettingById", r#"{ findSystemSettingById(id: "delivery-max-attempts") { value } }"#),
        ("getLogoInformation", r#"{ getLogoInformation(id: "customer-logo-information") { value } }"#),
        ("reportSetting", r#"{ reportSetting(id: "r-1") { name } }"#),
        ("reportSettings", "{ reportSettings { id } }"),
        ("reportSettingsCount", "{ reportSettingsCount { total } }"),
        ("reportMembers", "{ reportMembers(reportKey: drivers) { member } }"),
        (
            "mutatePresignedUrl",
            r#"mutation { mutatePresignedUrl(url: "/objects/proof/x") { presignedUrl } }"#,
        ),
    ];
    let changes = DELIVERY_CHANGES.map(|(name, query)| ((name, query), Role::Dispatcher, Some(Role::Viewer)));
    let editors = [
        ("importMapping", r#"{ importMapping(uploadLog: "log-1") { columns { field } } }"#),
        (
            "saveImportMapping",
            r#"mutation { saveImportMapping(input: { uploadLog: "log-1", headerLine: 1, fields: ["delivery_id", null] }) { status } }"#,
        ),
        ("commitUpload", r#"mutation { commitUpload(input: { id: "log-1" }) { status } }"#),
        ("cancelUpload", r#"mutation { cancelUpload(input: { id: "log-1" }) { status } }"#),
        ("driverAccounts", "{ driverAccounts { id } }"),
        ("driverAccountsCount", "{ driverAccountsCount { total } }"),
        (
            "createDriver",
            r#"mutation { createDriver(input: { driverId: "D", name: "A", username: "a" }) { name } }"#,
        ),
        (
            "updateDriver",
            r#"mutation { updateDriver(input: { driverId: "D", version: 7, name: "A", username: "a" }) { name } }"#,
        ),
        (
            "updateDriverStatus",
            r#"mutation { updateDriverStatus(input: { driverId: "D", status: blocked }) { status } }"#,
        ),
        ("pairDevice", r#"mutation { pairDevice(input: { uniqueId: "1", driverId: "D" }) { name } }"#),
        ("unpairDevice", r#"mutation { unpairDevice(input: { uniqueId: "1", driverId: "D" }) { name } }"#),
        ("createResetLink", r#"mutation { createResetLink(input: { userId: "a1" }) { path } }"#),
    ];
    let planners = [
        ("systemSettings", "{ systemSettings { id } }"),
        ("systemSettingsCount", "{ systemSettingsCount { total } }"),
        (
            "updateSettingValue",
            r#"mutation { updateSettingValue(input: { id: "delivery-max-attempts", value: "4" }) { value } }"#,
        ),
    ];
    let admins = [
        ("users", "{ users { id } }"),
        ("usersCount", "{ usersCount { total } }"),
        ("user", r#"{ user(id: "u1") { sessions { id } } }"#),
        ("auditEntries", "{ auditEntries { id } }"),
        ("auditEntriesCount", "{ auditEntriesCount { total } }"),
        ("createUser", r#"mutation { createUser(input: { username: "a", email: "", roles: [] }) { id } }"#),
        ("updateUser", r#"mutation { updateUser(input: { id: "u1", version: 7, email: "" }) { id } }"#),
        (
            "updateUserRoles",
            r#"mutation { updateUserRoles(input: { id: "u1", version: 7, roles: [] }) { id } }"#,
        ),
        (
            "updateUserStatus",
            r#"mutation { updateUserStatus(input: { id: "u1", version: 7, status: active }) { id } }"#,
        ),
        ("endUserSessions", r#"mutation { endUserSessions(input: { userId: "u1" }) { count } }"#),
        (
            "updateReason",
            r#"mutation { updateReason(input: { appliesTo: variance, code: "a", version: 2, label: "A", requiresPhoto: false, requiresNote: false, responsible: other, isActive: true, order: 1 }) { code } }"#,
        ),
        ("announcement", r#"{ announcement(id: "a-1") { title } }"#),
        ("announcements", "{ announcements { id } }"),
        ("announcementsCount", "{ announcementsCount { total } }"),
        (
            "createAnnouncement",
            r#"mutation { createAnnouncement(input: { creationId: "c", announcement: { title: "A", message: "B", severity: info, audienceRoles: [], audienceUsers: [], startsAt: "2027-01-15T08:00:00Z", isActive: true, dismissible: true } }) { id } }"#,
        ),
        (
            "updateAnnouncement",
            r#"mutation { updateAnnouncement(input: { id: "a-1", version: 7, announcement: { title: "A", message: "B", severity: info, audienceRoles: [], audienceUsers: [], startsAt: "2027-01-15T08:00:00Z", isActive: true, dismissible: true } }) { id } }"#,
        ),
        ("deleteAnnouncement", r#"mutation { deleteAnnouncement(input: { id: "a-1", version: 7 }) }"#),
        (
            "createReportSetting",
            r#"mutation { createReportSetting(input: { creationId: "c", reportSetting: { name: "A", reportKey: drivers, columns: [], defaultFilters: [], rangeDays: 1, groupBy: [], sort: [], format: csv, isActive: true } }) { id } }"#,
        ),
        (
            "updateReportSetting",
            r#"mutation { updateReportSetting(input: { id: "r-1", version: 7, reportSetting: { name: "A", reportKey: drivers, columns: [], defaultFilters: [], rangeDays: 1, groupBy: [], sort: [], format: csv, isActive: true } }) { id } }"#,
        ),
        ("deleteReportSetting", r#"mutation { deleteReportSetting(input: { id: "r-1", version: 7 }) }"#),
    ];
    let people = [
        ("mySessions", "{ mySessions { id } }"),
        ("endSession", r#"mutation { endSession(input: { id: "s" }) { count } }"#),
        ("endOtherSessions", "mutation { endOtherSessions { count } }"),
        (
            "changeOwnPassword",
            r#"mutation { changeOwnPassword(input: { currentPassword: "correct-horse", newPassword: "battery-staple" }) { count } }"#,
        ),
    ];
    // Each with somebody who may, and with somebody who may not, where there is one.
    let guarded: Vec<_> = (staff.map(|it| (it, Role::Viewer, Some(Role::Driver))).into_iter())
        .chain(editors.map(|it| (it, Role::Dispatcher, Some(Role::Viewer))))
        .chain(planners.map(|it| (it, Role::TransportPlanner, Some(Role::Dispatcher))))
        .chain(admins.map(|it| (it, Role::Admin, Some(Role::TransportPlanner))))
        .chain(DEAD_LETTERS.map(|it| (it, Role::Admin, Some(Role::TransportPlanner))))
        .chain(people.map(|it| (it, Role::Driver, None)))
        .chain(changes)
        .collect();
    let mut known: Vec<_> = guarded.iter().map(|((name, _), ..)| *name).chain(public).collect();
    known.sort_unstable();
    let mut fields = Vec::new();
    let sdl = gateway::sdl();
    for root in ["type Query {", "type Mutation {"] {
        let body = sdl.split_once(root).unwrap().1.split_once("\n}").unwrap().0;
        let names =
            body.lines().map(str::trim).filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
        fields.extend(names.map(|line| line.split(['(', ':']).next().unwrap()));
    }
    fields.sort_unstable();
    assert_eq!(fields, known, "a field that no test guards");

    for ((name, query), who, other) in guarded {
        let nobody = world.query("", query).await;
        assert_eq!(
            first_error(&nobody),
            ("UNAUTHENTICATED".into(), "You don't have permission to do that.".into()),
            "{name}"
        );
        let mut refusals = vec![nobody];
        if let Some(role) = other {
            let lacking = world.query(&world.token(role), query).await;
            assert_eq!(
                first_error(&lacking),
                ("FORBIDDEN".into(), "You don't have access to do that.".into()),
                "{name}"
            );
            refusals.push(lacking);
        }
        for refused in refusals {
            assert!(refused["data"].is_null() || refused["data"][name].is_null(), "{name}: {refused}");
        }
        let allowed = world.query(&world.token(who), query).await;
        assert!(allowed["errors"].is_null(), "{name}: {allowed}");
    }
}
