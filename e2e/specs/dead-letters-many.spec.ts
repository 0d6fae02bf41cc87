// Thousands of dead letters: another system reports them; an administrator groups, corrects and resends them,
// closes the tab, and comes back to the result. WAYBILL_E2E_LETTERS sets the number of letters. A full run has
// 12000; the default is 240.
import type { Page } from '@playwright/test';
import { ask } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { lookInBothSizes } from '../support/look.ts';
import { Receiver } from '../support/receiver.ts';

test.use({ as: 'admin' });

const LETTERS = Number(process.env.WAYBILL_E2E_LETTERS ?? 240);
const FULL = 5000;
const AT_ONCE = 16;
const SAVE = 'mutation($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id } }';
const shown = (count: number) => count.toLocaleString('en-US');

/** Refuses messages without an invoice. */
const answer = (body: string) => (JSON.parse(body).invoice === null ? 'No invoice' : undefined);

/**
 * Reports letters as another system would: several at the same time, and each letter repeatedly until Waybill
 * accepts it.
 */
async function report(base: string, token: string, tag: string) {
  let next = 0;
  const one = async () => {
    for (let n = next++; n < LETTERS; n = next++) {
      const body = JSON.stringify({
        deliveryId: `MANY-${tag}-${String(n).padStart(5, '0')}`,
        method: 'status',
        error: n % 4 === 0 ? `No invoice ${tag}` : `ERP ${tag} is closed`,
        payload: { n, invoice: n % 4 === 0 ? null : `SI-${n}` },
      });
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `${tag}-${n}` };
      for (;;) {
        const answer = await fetch(`${base}/intake/v1/dead-letters`, { method: 'POST', headers, body });
        if (answer.status === 201 || answer.status === 200) break;
        if (answer.status < 500 && answer.status !== 429) throw new Error(`${answer.status}: ${await answer.text()}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Returns the first number in a text. */
function numberIn(text: string) {
  return Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', ''));
}

function groupOf(page: Page, text: string) {
  return page.getByRole('listitem').filter({ hasText: text });
}

test('letters by the thousand are grouped, mended, resent, and leave a receipt', async ({ page, context }) => {
  test.setTimeout(LETTERS >= FULL ? 2_700_000 : 240_000);
  const receiver = await Receiver.open(answer);
  const { url } = receiver;
  const tag = Math.random().toString(36).slice(2, 8).replace(/\d/g, 'x');
  const wrong = Math.ceil(LETTERS / 4);
  const closed = LETTERS - wrong;
  const isFull = LETTERS >= FULL;
  const patience = isFull ? 1_200_000 : 60_000;
  const address = '/admin/settings/dead-letters';

  await test.step('registers the other system, which reports', async () => {
    const input = { name: `Many ${tag}`, url, methods: ['cancel'], sourceIds: [], isActive: true };
    await ask(context.request, SAVE, { input });
    await page.goto(`${address}?tab=endpoints`);
    await page.getByRole('button', { name: 'Add reporting system' }).click();
    const form = page.getByRole('dialog', { name: 'Add reporting system' });
    await form.getByLabel('Name').fill(tag);
    await form.getByLabel('Endpoint for resends').selectOption(`Many ${tag}`);
    await lookInBothSizes(page, 'dead-letters-producer-form', '[role=dialog]');
    await form.getByRole('button', { name: 'Add reporting system' }).click();
    const token = await page.getByRole('textbox', { name: 'Token' }).inputValue();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await report(new URL(page.url()).origin, token, tag);
  });

  await test.step('groups them by what went wrong', async () => {
    await page.goto(address);
    await expect(groupOf(page, `ERP ${tag} is closed`).getByRole('button', { name: `Resend ${shown(closed)}` })).toBeVisible();
    await expect(groupOf(page, `No invoice ${tag}`).getByRole('button', { name: `Resend ${shown(wrong)}` })).toBeVisible();
  });

  await test.step('mends one, and sees what was different', async () => {
    await groupOf(page, `No invoice ${tag}`).getByRole('link', { name: `No invoice ${tag}` }).click();
    await page.getByRole('link', { name: new RegExp(`^MANY-${tag}`) }).first().click();
    await expect(page.getByText('Another system reported this message.', { exact: false })).toBeVisible();
    await page.getByRole('button', { name: 'Resend', exact: true }).click();
    await expect(page.getByText('422: No invoice').first()).toBeVisible({ timeout: 20_000 });
    await expect(page.getByText('Already resent once')).toBeVisible();
    await page.getByRole('button', { name: 'Edit and resend' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit and resend' });
    await dialog.getByLabel('Body').fill('{"n":0,"invoice":"SI-0"}');
    await dialog.getByRole('button', { name: 'Edit and resend' }).click();
    await expect(page.getByText('Accepted (HTTP 204)')).toBeVisible({ timeout: 20_000 });
    await page.getByRole('button', { name: 'Changes' }).click();
    await expect(page.getByRole('textbox', { name: 'Request in this attempt' })).toContainText('SI-0');
    await lookInBothSizes(page, 'dead-letter-changes');
    expect(receiver.taken.size).toBe(1);
  });

  await test.step('resends all that match in the list, and cancels', async () => {
    await page.goto(`${address}?view=list`);
    // Select most of the letters, but leave some for the next step, which resends a group. A full run has so many
    // letters that the job is still running when the test cancels it.
    const part = `MANY-${tag}-${isFull ? '0' : '000'}`;
    await page.getByRole('textbox', { name: 'Find by Delivery Doc' }).fill(part);
    await expect(page.getByRole('button', { name: new RegExp(`^Remove filter: .*${part}`) })).toBeVisible();
    await page.getByRole('button', { name: 'Resend all matching' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend messages' });
    const jobs = page.getByRole('region', { name: 'Resends and discards' });
    const resend = dialog.getByRole('button', { name: /^Resend [\d,]+$/ });
    const all = numberIn(await resend.innerText());
    await resend.click();
    const cancel = jobs.getByRole('button', { name: 'Cancel', exact: true });
    const receipt = jobs.getByText(/ scheduled to be sent again$/);
    await expect(cancel.or(receipt)).toBeVisible();
    if (await cancel.isVisible()) await cancel.click({ timeout: 2_000 }).catch(() => undefined);
    await expect(receipt).toBeVisible({ timeout: patience });
    const resent = numberIn(await receipt.innerText());
    if (isFull) {
      await expect(jobs.getByText('Canceled')).toBeVisible();
      expect(resent).toBeLessThan(all);
    } else {
      await expect(jobs.getByText(/^(Canceled|Done)$/)).toBeVisible();
    }
    await lookInBothSizes(page, 'dead-letters-canceled');
    // The letters that the job reached were sent, and no others.
    await expect.poll(() => receiver.seen.size, { timeout: patience }).toBe(1 + resent);
  });

  const rest = shown(closed + 1 - receiver.taken.size);
  await test.step('resends a group, closes the tab and comes back to the receipt', async () => {
    await page.goto(address);
    await groupOf(page, `ERP ${tag} is closed`).getByRole('button', { name: `Resend ${rest}` }).click();
    const dialog = page.getByRole('dialog', { name: 'Resend messages' });
    await dialog.getByRole('button', { name: `Resend ${rest}` }).click();
    await expect(page.getByText('Resending started')).toBeVisible();
    await page.close();
    await expect.poll(() => receiver.taken.size, { timeout: patience }).toBe(closed + 1);
  });

  await test.step('the receipt says what became of it', async () => {
    const again = await context.newPage();
    await again.goto(address);
    const jobs = again.getByRole('region', { name: 'Resends and discards' });
    await expect(jobs.getByText(`${rest} of ${rest} scheduled to be sent again`)).toBeVisible();
    await expect(groupOf(again, `ERP ${tag} is closed`)).toHaveCount(0);
    await lookInBothSizes(again, 'dead-letters-receipt');
    // Two kinds of letters remain to be fixed: those that nobody resent, and those that were refused again.
    for (const name of [`No invoice ${tag}`, `to Many ${tag}`]) {
      const groups = groupOf(again, name);
      // There are several groups if letters were refused in different ways, and none if the job was canceled before
      // its first step. A letter that is retried meanwhile leaves its group.
      await expect(async () => {
        if ((await groups.count()) === 0) return;
        await groups.first().getByRole('button', { name: /^Discard/ }).click({ timeout: 2_000 });
        const dialog = again.getByRole('dialog', { name: 'Discard messages' });
        await dialog.getByLabel('Reason').fill('Test data');
        const discard = dialog.getByRole('button', { name: /^Discard [\d,]+$/ });
        await discard.click({ timeout: 2_000 }).catch(() => again.keyboard.press('Escape'));
        await expect(groups).toHaveCount(0, { timeout: 5_000 });
      }).toPass({ timeout: 120_000 });
    }
  });

  await receiver.close();
});
