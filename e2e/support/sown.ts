// Plants texts in every field that a person or another system can fill, with the requests that screens, devices and other
// systems send.
import { get } from 'node:http';
import { expect, type APIRequestContext } from '@playwright/test';
import { noteIn } from '../../contract/secrets.mjs';
import { redeem, resetLink } from './accounts.ts';
import { ask, importFile } from './api.ts';
import { ASCII, CELL, EMAIL, FILE, HEADER, JSON_TEXT, WEBSITE, type Planting } from './payloads.ts';
import type { Receiver } from './receiver.ts';
import { createReport, reportOf } from './reports.ts';
import { workbook } from './workbook.ts';

export interface Ground {
  /** Requests of the browser, whose person has the username `actor`. */
  request: APIRequestContext;
  actor: string;
  /** Requests of another administrator. */
  office: APIRequestContext;
  /** Where the product is, and where it takes positions of devices. */
  base: string;
  ingest: string;
  receiver: Receiver;
}

export type Sown = Awaited<ReturnType<typeof sow>>;

const uuid = () => crypto.randomUUID();
const address = (planting: Planting, field: string) => `${planting.plant(field, 60, EMAIL)}@pwn.example`;
const equals = (key: string, value: string) => ({ key, operator: 'equals', values: [value] });

/** Fills everything once. */
export async function sow(ground: Ground, planting: Planting) {
  const token = await sowEndpoint(ground, planting);
  const sourceId: string = await sowSource(ground, planting);
  const driver = await sowDriver(ground, planting);
  const logId = await sowLog(ground, planting, driver);
  const deliveries = await sowDeliveries(ground, planting, { sourceId, driverId: driver.driverId });
  await sowCustomer(ground, planting);
  const texts = await sowOffice(ground, planting);
  const imports = await sowImports(ground, planting);
  const letters = await sowLetters(ground, planting, token, deliveries.pending);
  return { sourceId, driverId: driver.driverId, logId, ...deliveries, ...texts, ...imports, ...letters };
}

async function sowSource({ request }: Ground, { plant }: Planting) {
  const input = { name: plant('source', 100) };
  return (await ask(request, 'mutation($input: CreateSourceInput!) { createSource(input: $input) { id } }', { input })).createSource.id;
}

/** Sends a position of this moment as a device does, with the OsmAnd protocol. Returns the status. */
function send(ingest: string, id: string, localAddress: string): Promise<number | undefined> {
  const point = { id, lat: '14.559', lon: '121.02' };
  return new Promise((resolve, reject) => {
    const sent = get(`${ingest}/?${new URLSearchParams(point)}`, { localAddress }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
  });
}

async function sowDriver({ request, ingest }: Ground, planting: Planting) {
  const { plant, round } = planting;
  const input = {
    driverId: plant('driver ID', 64),
    name: plant('driver name', 100),
    username: plant('driver username', 64, ASCII),
    email: address(planting, 'driver email'),
    trucker: plant('driver trucker', 100),
    licenceNumber: plant('license number', 40),
    vehiclePlate: plant('vehicle plate', 20),
  };
  await ask(request, 'mutation($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }', { input });
  const { driverId } = input;
  const uniqueId = plant('device', 100);
  await ask(request, 'mutation($input: PairDeviceInput!) { pairDevice(input: $input) { driverId } }', { input: { uniqueId, driverId } });
  await expect.poll(() => send(ingest, uniqueId, '127.0.0.1')).toBe(200);
  // The product lists only a hundred unknown devices of one address in an hour.
  expect(await send(ingest, plant('unknown device', 100), `127.${1 + (round >> 5)}.0.1`)).toBe(404);
  return input;
}

const PIN = '480159';

/** Sends a request of the driver app. */
async function phone(base: string, path: string, body: unknown, token?: string): Promise<any> {
  noteIn(body);
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (token) headers.authorization = `Bearer ${token}`;
  const answer = await fetch(`${base}/driver/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  const content: any = await answer.json();
  noteIn(content);
  return content;
}

/** Signs the driver in on a phone, which reports an activity. Returns the id of its entry in the driver log. */
async function sowLog(
  { request, office, base }: Ground,
  { plant }: Planting,
  { driverId, username }: { driverId: string; username: string },
): Promise<string> {
  // An event creates the account, which takes a moment.
  const query = 'query($where: [Filter!]) { driverAccounts(page: { where: $where }) { id } }';
  const account = async () => (await ask(office, query, { where: [equals('username', username)] })).driverAccounts[0]?.id;
  await expect.poll(account).toBeTruthy();
  await redeem(office, await resetLink(office, await account()), PIN);
  const { accessToken } = await phone(base, 'login', { username, pin: PIN });
  const entry = {
    clientEventId: uuid(),
    activity: 'scan',
    occurredAt: new Date().toISOString(),
    deviceId: plant('device in the driver log', 100),
    appVersion: plant('app version', 40),
    detail: { [plant('name of a detail', 100)]: plant('detail', 500) },
  };
  await phone(base, 'logs', { logs: [entry] }, accessToken);
  const where = [equals('driverId', driverId)];
  const { driverLogs } = await ask(request, 'query($where: [Filter!]) { driverLogs(page: { where: $where }) { id activity } }', { where });
  return driverLogs.find(({ activity }: { activity: string }) => activity === 'scan').id;
}

const CREATE = 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';
const RECORD = 'mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { id } }';
const CORRECT = 'mutation($input: CorrectDeliveryInput!) { correctDelivery(input: $input) { id } }';
const RESCHEDULE = 'mutation($input: RescheduleDeliveryInput!) { rescheduleDelivery(input: $input) { id } }';
const REASON = '{ reasons(appliesTo: undelivered) { appliesTo code label isActive order requiresNote requiresPhoto responsible version } }';
const RENAME = 'mutation($input: UpdateReasonInput!) { updateReason(input: $input) { code } }';

/** Creates a delivery that waits, one that was delivered and corrected, and one that failed and was rescheduled. */
async function sowDeliveries(
  { request }: Ground,
  planting: Planting,
  { sourceId, driverId }: { sourceId: string; driverId: string },
) {
  const { plant } = planting;
  const itemNumber = plant('item number', 64);
  const item = {
    itemNumber,
    sku: plant('SKU', 100),
    description: plant('description', 500),
    unit: plant('unit', 20),
    barcode: plant('barcode', 100),
    quantity: 5,
  };
  const head = {
    sourceId,
    shipmentnumber: plant('shipment', 64),
    customername: plant('customer', 200),
    customeraddress: plant('delivery address', 500),
    contactName: plant('contact name', 200),
    contactPhone: plant('contact phone', 40),
    contactEmail: address(planting, 'contact email'),
    referencedoc: plant('reference', 100),
    trucker: plant('trucker', 100),
    instructions: plant('instructions', 500),
    internalNote: plant('internal note', 500),
    scheduledatetime: new Date(Date.now() - 3_600_000).toISOString(),
    items: [item],
  };
  const create = (id: string, more = {}) => ask(request, CREATE, { input: { id, ...head, ...more } });
  const version = 'query($id: String!) { delivery(id: $id) { version } }';
  const versionOf = async (id: string) => (await ask(request, version, { id })).delivery.version;
  const pending = plant('pending delivery', 64);
  const finished = plant('finished delivery', 64);
  const failed = plant('failed delivery', 64);
  await create(pending);
  await create(failed);
  // The driver reaches the deliveries service by an event, so the first attempts may fail.
  await expect(() => create(finished, { driverId })).toPass({ timeout: 15_000 });

  const file = await attach(request, finished, planting);
  const line = { itemNumber, quantityRejected: 0, varianceReason: 'short_delivered', varianceNote: plant('variance note', 500) };
  const outcome = { status: 'Complete_With_Variance', receivedBy: plant('received by', 200), outcomeNote: plant('outcome note', 500) };
  const lines = [{ ...line, quantityDelivered: 3 }];
  await ask(request, RECORD, { input: { clientEventId: uuid(), deliveryId: finished, ...outcome, lines } });
  const correction = { version: await versionOf(finished), reason: plant('correction', 500), lines: [{ ...line, quantityDelivered: 4 }] };
  await ask(request, CORRECT, { input: { clientEventId: uuid(), deliveryId: finished, ...correction } });

  const { reasons } = await ask(request, REASON);
  const reason = reasons.find(({ code }: { code: string }) => code === 'site_closed');
  await ask(request, RENAME, { input: { ...reason, label: plant('reason', 100) } });
  const miss = { status: 'Undelivered', outcomeReason: 'site_closed', outcomeNote: plant('note of a failure', 500) };
  await ask(request, RECORD, { input: { clientEventId: uuid(), deliveryId: failed, ...miss } });
  const scheduledatetime = new Date(Date.now() + 86_400_000).toISOString();
  const again = { version: await versionOf(failed), scheduledatetime, note: plant('reschedule note', 500) };
  await ask(request, RESCHEDULE, { input: { clientEventId: uuid(), deliveryId: failed, ...again } });
  return { pending, finished, failed, itemNumber, file };
}

const LINK = 'mutation($input: RequestAttachmentLinkInput!) { requestAttachmentLink(input: $input) { url } }';
const ATTACH = 'mutation($input: AddAttachmentInput!) { addAttachment(input: $input) { url } }';
const PRESIGN = 'mutation($url: String!) { mutatePresignedUrl(url: $url) { presignedUrl } }';

/** Attaches a file that is a PDF by its first and last bytes and a web page otherwise. Returns the address that opens it. */
async function attach(request: APIRequestContext, deliveryId: string, { plant }: Planting): Promise<string> {
  const input = { deliveryId, filename: plant('file name', 200, FILE) };
  const { url } = (await ask(request, LINK, { input })).requestAttachmentLink;
  const put = await request.put(url, { data: Buffer.from('%PDF-1.7\n<html><script>pwn()</script><img src=/pwn></html>\n%%EOF\n') });
  expect(put.status()).toBe(200);
  const added = { deliveryId, url: url.split('?')[0], kind: 'document', note: plant('file note', 500) };
  const { addAttachment } = await ask(request, ATTACH, { input: added });
  return (await ask(request, PRESIGN, { url: addAttachment.url })).mutatePresignedUrl.presignedUrl;
}

/** The deliveries have created the customer. */
async function sowCustomer({ request }: Ground, planting: Planting) {
  const { plant } = planting;
  const customerName = planting.text('customer');
  const { customer } = await ask(request, 'query($name: String!) { customer(customerName: $name) { version } }', { name: customerName });
  const input = {
    customerName,
    version: customer.version,
    customerEmail: address(planting, 'customer email'),
    customerAddress: plant('customer address', 500),
    code: plant('customer code', 64),
    phone: plant('customer phone', 40),
  };
  await ask(request, 'mutation($input: UpdateCustomerInput!) { updateCustomer(input: $input) { version } }', { input });
}

const USER = 'mutation($input: CreateUserInput!) { createUser(input: $input) { id } }';
const ANNOUNCE = 'mutation($input: CreateAnnouncementInput!) { createAnnouncement(input: $input) { id } }';
const VIEW = 'mutation($input: CreateSavedViewInput!) { createSavedView(input: $input) { id } }';
const SET = 'mutation($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { id } }';

/** Fills what the office writes besides deliveries: a user, an announcement, views, a query, a report and settings. */
async function sowOffice({ request, actor }: Ground, planting: Planting) {
  const { plant } = planting;
  const user = {
    username: plant('username', 64, ASCII),
    displayName: plant('display name', 100),
    email: address(planting, 'user email'),
    roles: ['viewer'],
  };
  const userId: string = (await ask(request, USER, { input: user })).createUser.id;
  const announcement = {
    title: plant('announcement title', 120),
    message: plant('announcement', 500),
    severity: 'info',
    audienceRoles: [],
    audienceUsers: [actor],
    startsAt: new Date(Date.now() - 60_000).toISOString(),
    endsAt: null,
    isActive: true,
    dismissible: true,
  };
  const announcementId: string = (await ask(request, ANNOUNCE, { input: { creationId: uuid(), announcement } })).createAnnouncement.id;

  const values = [{ label: planting.text('trucker'), value: planting.text('trucker') }];
  const list = { filters: [{ key: 'trucker', operator: 'equals', values }], sort: [], columns: { order: [], hidden: [], pinned: [], widths: {} } };
  const query = {
    measures: ['Delivery.count'],
    dimensions: ['Delivery.trucker', 'Delivery.source'],
    filters: [{ member: 'Delivery.shipmentnumber', operator: 'equals', values: [planting.text('shipment')] }],
  };
  const views = [
    { name: plant('saved view', 60), list: 'deliveries', state: JSON.stringify(list), shared: false },
    { name: plant('saved query', 60), list: 'queryLab', state: JSON.stringify({ query: JSON.stringify(query) }), shared: false },
  ];
  for (const savedView of views) await ask(request, VIEW, { input: { creationId: uuid(), savedView } });

  const reportSetting = reportOf({
    name: plant('report', 100),
    columns: [
      { member: 'Delivery.trucker', label: plant('report column', 100), visible: true },
      { member: 'Delivery.count', label: '', visible: true },
    ],
    defaultFilters: [equals('Delivery.trucker', planting.text('trucker'))],
  });
  const report = await createReport(request, reportSetting);

  const settings = {
    'organization-name': plant('organization', 120),
    'organization-email': address(planting, 'organization email'),
    'organization-website': `http://pwn.example/${plant('organization website', 100, WEBSITE)}`,
  };
  for (const [id, value] of Object.entries(settings)) await ask(request, SET, { input: { id, value } });
  return { userId, announcementId, report };
}

const HEADINGS = ['Delivery Doc', 'Shipment no.', 'Customer Name', 'Dispatch Date and Time', 'SKU', 'Quantity'];
const AT = '2030-01-02 08:00';
const MAPPING = 'query($id: String!) { importMapping(uploadLog: $id) { chosen headerLine } }';
const SAVE_MAPPING = 'mutation($input: CreateImportMappingInput!) { createImportMapping(input: $input) { id } }';

/** Imports a workbook, which waits for its columns, and a file with a row that is refused. */
async function sowImports({ request }: Ground, { plant, round }: Planting) {
  const log = 'query($id: String!) { uploadLog(id: $id) { status } }';
  const until = (id: string, done: string) =>
    expect.poll(async () => (await ask(request, log, { id })).uploadLog.status).toBe(done);
  const xml = (text: string) => text.replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
  const rows = [
    [...HEADINGS, plant('heading', 100, CELL)],
    [`WAIT-${round}`, 'S', 'Store', AT, 'SKU-1', '5', plant('cell', 200, CELL)],
  ];
  const book = await workbook({ [xml(plant('sheet', 60))]: rows.map((row) => row.map(xml)) });
  const waiting = await importFile(request, plant('waiting file', 200), book, { chooseColumns: true });
  await until(waiting, 'needs_mapping');
  const { importMapping } = await ask(request, MAPPING, { id: waiting });
  const mapping = { uploadLog: waiting, name: plant('saved mapping', 60), headerLine: importMapping.headerLine, fields: importMapping.chosen };
  const mappingId: string = (await ask(request, SAVE_MAPPING, { input: mapping })).createImportMapping.id;

  const lines = [
    [...HEADINGS, plant('unknown heading', 100, CELL)],
    [`GOOD-${round}`, 'S', 'Store', AT, 'SKU-1', '5', ''],
    [`BAD-${round}`, 'S', plant('refused customer', 200, CELL), AT, 'SKU-1', plant('refused quantity', 60, CELL), plant('refused cell', 200, CELL)],
  ];
  const csv = lines.map((line) => line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\r\n');
  const refused = await importFile(request, plant('refused file', 200), Buffer.from(csv));
  await until(refused, 'imported_with_errors');
  return { waiting, mappingId, refused };
}

const ENDPOINT = 'mutation($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id } }';
const PRODUCER = 'mutation($input: SaveDeadLetterProducerInput!) { saveDeadLetterProducer(input: $input) { token } }';

/** Adds an endpoint, which gets new deliveries and refuses them, and a reporting system. Returns the system's token. */
async function sowEndpoint({ request, receiver }: Ground, { plant, round }: Planting): Promise<string> {
  const answer = plant('answer of a receiver', 150, JSON_TEXT);
  receiver.answer = () => answer;
  const url = `${receiver.url}?${plant('endpoint address', 300)}`;
  const endpoint = { name: plant('endpoint', 100), url, methods: ['create'], sourceIds: [], isActive: true };
  const { id } = (await ask(request, ENDPOINT, { input: endpoint })).saveOutboundEndpoint;
  const producer = { name: `reporter-${round}`, endpointId: id, isActive: true };
  return (await ask(request, PRODUCER, { input: producer })).saveDeadLetterProducer.token;
}

const LETTERS = '{ deliveryDeadLetters(mode: failed, page: { limit: 100 }) { id deliveryId method } }';
const DISCARD = 'mutation($input: DeadLettersInput!, $reason: String!) { discardDeadLetters(input: $input, reason: $reason) { id } }';

interface Letter {
  id: string;
  deliveryId: string;
  method: string;
}

/** Reports a dead letter and something that is none, discards the latter, and waits until the endpoint has refused a delivery. */
async function sowLetters({ request, base }: Ground, { plant }: Planting, token: string, pending: string) {
  const report = async (key: string, body: string) => {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': key };
    return (await fetch(`${base}/intake/v1/dead-letters`, { method: 'POST', headers, body })).status;
  };
  const deliveryId = plant('delivery of a letter', 64);
  const payload = { note: plant('body of a letter', 500, JSON_TEXT) };
  const letter = { deliveryId, method: 'status', error: plant('error of a letter', 300), payload };
  expect(await report(uuid(), JSON.stringify(letter))).toBe(201);
  expect(await report(plant('key of a malformed letter', 100, HEADER), plant('malformed letter', 500, JSON_TEXT))).toBe(422);
  const find = async (fits: (letter: Letter) => boolean): Promise<string> => {
    const letters = async (): Promise<Letter[]> => (await ask(request, LETTERS)).deliveryDeadLetters;
    await expect.poll(async () => (await letters()).some(fits)).toBe(true);
    return (await letters()).find(fits)!.id;
  };
  const malformed = await find(({ method }) => method === 'event');
  const input = { jobId: uuid(), ids: [malformed] };
  await ask(request, DISCARD, { input, reason: plant('reason to discard', 200) });
  return {
    malformed,
    letter: await find((found) => found.deliveryId === deliveryId),
    refusal: await find((found) => found.deliveryId === pending),
  };
}

/** Removes what has a limit or would slow later rounds down. */
export async function clear({ request }: Ground, { report, waiting, mappingId }: Sown) {
  await ask(request, 'mutation($input: DeleteReportSettingInput!) { deleteReportSetting(input: $input) }', { input: report });
  await ask(request, 'mutation($input: DeleteImportMappingInput!) { deleteImportMapping(input: $input) }', { input: { id: mappingId } });
  await ask(request, 'mutation($input: CancelUploadInput!) { cancelUpload(input: $input) { id } }', { input: { id: waiting } });
  const { outboundEndpoints, deadLetterProducers } = await ask(request, '{ outboundEndpoints { id version } deadLetterProducers { id version } }');
  for (const producer of deadLetterProducers) {
    await ask(request, 'mutation($id: String!, $version: Int!) { deleteDeadLetterProducer(id: $id, version: $version) }', producer);
  }
  for (const endpoint of outboundEndpoints) {
    await ask(request, 'mutation($id: String!, $version: Int!) { deleteOutboundEndpoint(id: $id, version: $version) }', endpoint);
  }
  await ask(request, DISCARD, { input: { jobId: uuid(), where: [] }, reason: 'The next round follows.' });
}
