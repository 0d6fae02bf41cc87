// A report is scheduled, sent at once and received, with its file.
import { admin } from '../support/api.ts';
import { expect, test } from '../support/fixtures.ts';
import { lookInBothSizes } from '../support/look.ts';
import { attachedText } from '../support/mailbox.ts';

test.use({ as: 'admin', mails: true });

test('a report is scheduled, sent now and seen', async ({ page, mailbox }) => {
  test.setTimeout(180_000);
  await page.goto('/report');
  await page.getByRole('button', { name: 'Open report: Deliveries by status' }).click();
  await page.getByRole('menuitem', { name: 'Drivers' }).click();
  await page.getByRole('button', { name: 'Open report: Drivers' }).click();
  await page.getByRole('menuitem', { name: 'Schedule by email' }).click();
  await expect(page).toHaveURL(/\/admin\/settings\/report\/[0-9a-f-]+$/);

  const section = page.getByRole('region', { name: 'Schedule' });
  await section.getByRole('button', { name: 'Schedule report' }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule report' });
  await dialog.getByLabel('Days').selectOption('Once a week');
  await dialog.getByLabel('Day of the week').selectOption('Friday');
  await dialog.getByLabel('Time', { exact: true }).fill('07:30');
  await expect(dialog.getByLabel('Time zone')).toHaveValue('Asia/Manila');
  await dialog.getByLabel('File').selectOption('CSV');
  await dialog.getByLabel('Recipients').fill(admin.username.slice(0, 3));
  await dialog.getByRole('option', { name: new RegExp(admin.username) }).first().click();
  await lookInBothSizes(page, 'report-schedule-dialog');
  await dialog.getByRole('button', { name: 'Save schedule' }).click();
  await expect(section.getByText('Every Friday at 07:30, Asia/Manila')).toBeVisible();

  const before = mailbox.mails.length;
  await section.getByRole('button', { name: 'Send now' }).click();
  await expect(section.getByText('to 1 person')).toBeVisible({ timeout: 60_000 });
  await expect(section.getByRole('button', { name: 'Send now' })).toBeVisible();
  expect(mailbox.mails).toHaveLength(before + 1);
  const mail = mailbox.mails[before]!;
  expect(mail.to).toBe(admin.email);
  expect(mail.text).toMatch(/Content-Disposition: attachment; filename="Drivers \d{4}-\d{2}-\d{2}\.csv"/);
  const lines = attachedText(mail).trim().split('\r\n');
  expect(lines[0]).toContain('Driver');
  expect(lines.length).toBeGreaterThan(1);
  await lookInBothSizes(page, 'report-schedule');

  await section.getByRole('button', { name: 'Pause' }).click();
  await expect(section.getByText("This report won't be sent until someone resumes the schedule.")).toBeVisible();
  await page.reload();
  await section.getByRole('button', { name: 'Resume' }).click();
  await expect(section.getByRole('button', { name: 'Pause' })).toBeVisible();
});
