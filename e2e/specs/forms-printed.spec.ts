// Delivery forms in ten scripts, printed by the browser. Each shows the same text as the form's description, which
// the server sends. The server's tests compare the PDF with that description, so print and PDF agree.
import type { APIRequestContext, Page } from '@playwright/test';
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';

// These deliveries would disturb other tests, so this file has its own Waybill.
test.use({ as: 'admin', apart: 'printed forms' });

/** The number of printed forms. WAYBILL_E2E_FORMS=100 is a full run. */
const FORMS = Number(process.env.WAYBILL_E2E_FORMS ?? 10);

/** A name, a sentence and an item in each script. */
const SCRIPTS = [
  ['Łucja Żółć-Ångström', 'Zwei Säcke waren naß.', 'Crème fraîche 12 × 200 g'],
  ['Ναυσικά Παπαγεωργίου', 'Δύο σάκοι ήταν βρεγμένοι.', 'Ελιές Καλαμών 1 kg'],
  ['Анастасия Щёголева', 'Два мешка промокли.', 'Мука ржаная 2 кг'],
  ['مؤسسة الواحة 7', 'كيسان مبللان، والباقي سليم.', 'تمر المدينة 3 كغ'],
  ['יעל בן-ארי', 'שני שקים היו רטובים.', 'קמח מלא 1 ק"ג'],
  ['ร้านสมใจ ซอย 8', 'ถุงสองใบเปียกน้ำ', 'ข้าวหอมมะลิ 5 กก.'],
  ['सुनीता देवी किराना', 'दो बोरियाँ गीली थीं।', 'अरहर दाल 1 किग्रा'],
  ['有限会社さくら商店', '袋が二つ濡れていました。', '醤油1L×6本'],
  ['广州市白云区好又多超市', '两袋大米受潮。', '东北大米 10 公斤'],
  ['서울상회', '두 자루가 젖었습니다.', '고춧가루 1kg'],
] as const;

const CREATE = 'mutation($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';
const RECORD = 'mutation($input: RecordOutcomeInput!) { recordOutcome(input: $input) { id } }';
const DESCRIPTION = `query($deliveryId: String!) { deliveryForm(deliveryId: $deliveryId) { description {
  title deliveryId status marks organization organizationLines logoUrl qrCode
  notices { lead text } sections { facts { label value details marks } }
  items { empty columns { title } rows { cells notes } totals { cells notes } }
  notes { lead text }
  signature { label absent name details marks picture { attachmentId } }
  photos { label more pictures { caption details marks } } files { label files { lead text } }
  checks { label value }
} } }`;

/** Returns a pseudo-random generator. The same seed gives the same sequence. */
function dice(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 12_345;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 16) % below;
  };
}

/** Creates a delivery with an outcome, both derived from `number`. Returns the delivery's id. */
async function delivered(request: APIRequestContext, number: number): Promise<string> {
  const below = dice(number + 1);
  const [name, sentence] = SCRIPTS[number % SCRIPTS.length]!;
  const any = () => SCRIPTS[below(SCRIPTS.length)]!;
  const id = `PRT-${1000 + number}`;
  const items = Array.from({ length: 1 + below(12) }, (_, at) => ({
    itemNumber: String((at + 1) * 10),
    description: any()[2],
    unit: ['bag', 'ขวด', '箱', 'kg'][below(4)]!,
    quantity: 1 + below(2_000) / 4,
  }));
  const delivery = {
    id,
    shipmentnumber: `S-${below(9_000)}`,
    customername: name,
    customeraddress: `${any()[1]}\n${name} ${below(400)}`,
    contactName: any()[0],
    referencedoc: below(2) ? `PO ${any()[2]}` : null,
    trucker: any()[0],
    scheduledatetime: new Date(Date.now() - 86_400_000).toISOString(),
    items,
  };
  await ask(request, CREATE, { input: delivery });
  const kind = below(4);
  const short = { quantityRejected: 0, varianceReason: 'short_delivered', varianceNote: sentence };
  const lines = items.map(({ itemNumber, quantity }, at) =>
    at === 0 ? { itemNumber, quantityDelivered: quantity / 2, ...short } : { itemNumber, quantityDelivered: quantity, quantityRejected: 0 },
  );
  const outcome = [
    { status: 'Complete_No_Variance', receivedBy: name },
    { status: 'Complete_With_Variance', receivedBy: any()[0], lines },
    { status: 'Undelivered', outcomeReason: 'site_closed', outcomeNote: sentence },
    { status: 'Rejected', outcomeReason: 'refused_not_ordered', outcomeNote: any()[1], receivedBy: name },
  ][kind]!;
  await ask(request, RECORD, { input: { clientEventId: crypto.randomUUID(), deliveryId: id, ...outcome } });
  return id;
}

/** Returns every string of a form's description in reading order. */
function words(it: any): string[] {
  const notices = (all: any[]) => all.flatMap(({ lead, text }) => [lead, text]);
  const fact = ({ label, value, details = [], marks = [] }: any) => [label, value, ...details, ...marks];
  const row = ({ cells, notes }: any) => [...cells, ...notes];
  const { items, signature, photos, files } = it;
  return [
    ...(it.logoUrl ? [] : [it.organization]),
    ...it.organizationLines,
    it.title,
    it.deliveryId,
    it.status,
    ...it.marks,
    ...notices(it.notices),
    ...it.sections.flatMap(({ facts }: any) => facts.flatMap(fact)),
    ...(items.rows.length === 0 ? [items.empty] : items.columns.map(({ title }: any) => title)),
    ...items.rows.flatMap(row),
    ...items.totals.flatMap(row),
    ...notices(it.notes),
    ...(signature
      ? [signature.label, ...(signature.picture ? [] : [signature.absent]), signature.name, ...signature.details, ...signature.marks]
      : []),
    ...(photos
      ? [photos.label, ...photos.pictures.flatMap(({ caption, details, marks }: any) => [caption, ...details, ...marks]), photos.more]
      : []),
    ...(files ? [files.label, ...notices(files.files)] : []),
    ...it.checks.flatMap(fact),
  ].filter(Boolean);
}

const squeezed = (text: string) => text.replace(/\s/gu, '');

/** Returns the visible text of the printed page, in document order. */
const printed = (page: Page) =>
  page.evaluate(() => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement!;
      const isShown = parent.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      if (isShown && parent.getClientRects().length > 0 && !parent.closest('svg')) texts.push(walker.currentNode.nodeValue!);
    }
    return texts.join('');
  });

test('printed forms say in every script what the server says', async ({ page }) => {
  test.setTimeout(60_000 + FORMS * 5_000);
  const { request } = page.context();
  await page.emulateMedia({ media: 'print' });
  for (let number = 0; number < FORMS; number += 1) {
    const id = await delivered(request, number);
    const { deliveryForm } = await ask(request, DESCRIPTION, { deliveryId: id });
    const { description } = deliveryForm;
    await page.goto(`/forms/${id}`);
    await expect(page.getByRole('img', { name: description.qrCode })).toBeVisible();
    // First make sure that the description contains the customer's name in its script.
    expect(words(description).join('\n')).toContain(SCRIPTS[number % SCRIPTS.length]![0]);
    expect(squeezed(await printed(page)), `form ${number}`).toBe(squeezed(words(description).join('')));
  }
});
