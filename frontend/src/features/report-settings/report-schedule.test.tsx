import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { filterMembers, reportMembers, reportSchedule, reportSetting } from '@/test/announcements';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { badInput } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './report-setting-page';

let server: FakeServer;
let schedule: object | null;
let sendsMail: boolean;
let read: () => Answer;
let saved: Answer;
let format: string;
let isActive: boolean;
let sending: () => Promise<void>;

const version = { __typename: 'ReportSchedule', id: 's1', version: 3 };

beforeEach(() => {
  schedule = reportSchedule();
  sendsMail = true;
  format = 'xlsx';
  isActive = true;
  sending = () => Promise.resolve();
  read = () => ({ data: { reportSchedule: schedule, sendsMail } });
  saved = { data: { saveReportSchedule: version } };
  server = startFakeServer({
    user: rosa,
    operations: {
      ViewReportSetting: () => ({ data: { reportSetting: reportSetting('r1', { format, isActive }) } }),
      ReportFilterMembers: () => ({ data: filterMembers }),
      ReportMembers: () => ({ data: { reportMembers } }),
      ReportSchedule: () => read(),
      SaveReportSchedule: () => saved,
      PauseReportSchedule: () => ({ data: { pauseReportSchedule: version } }),
      DeleteReportSchedule: () => ({ data: { deleteReportSchedule: 'r1' } }),
      SendReport: async () => {
        await sending();
        return { data: { sendReport: { __typename: 'ReportSchedule', id: 's1', isSending: true } } };
      },
      UsersLookup: () => ({
        data: { users: [{ __typename: 'User', id: 'u2', username: 'lara', displayName: 'Lara Cruz' }] },
      }),
    },
  });
});

const sent = (operation: string) => server.calls.filter((call) => call.name === operation);
const section = () => within(screen.getByRole('region', { name: 'Schedule' }));

async function open() {
  const view = renderRoutes(declarations, '/admin/settings/report/r1');
  await screen.findByRole('heading', { name: 'Schedule' });
  return view;
}

describe('the schedule of a report', () => {
  it('says when it is sent, to whom, and what became of the last delivery', async () => {
    await open();
    expect(await section().findByText('Every Friday at 07:30, Asia/Manila')).toBeInTheDocument();
    expect(section().getByText('rosa, lara')).toBeInTheDocument();
    expect(section().getByText('Nov 28, 2026 7:30 AM')).toBeInTheDocument();
    expect(section().getByText(/to 1 person/)).toBeInTheDocument();
    expect(section().getByText('Not sent to: lara: no active account')).toBeInTheDocument();
    expect(section().queryByText('Last problem')).not.toBeInTheDocument();
    await expectAccessible();
  });

  it('is created with days, time, zone, recipients and file', async () => {
    schedule = null;
    const { user } = await open();
    await user.click(await section().findByRole('button', { name: 'Schedule report' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Schedule report' }));
    expect(dialog.getByLabelText('Time zone')).toHaveValue('Asia/Manila');
    expect(dialog.queryByLabelText('Day of the month')).not.toBeInTheDocument();
    await user.click(dialog.getByRole('button', { name: 'Save schedule' }));
    await waitFor(() =>
      expect(dialog.getByLabelText('Recipients')).toHaveAccessibleDescription(/Choose at least one recipient/),
    );
    await user.selectOptions(dialog.getByLabelText('Days'), 'Once a month');
    await user.clear(dialog.getByLabelText('Day of the month'));
    await user.type(dialog.getByLabelText('Day of the month'), '32');
    await user.type(dialog.getByLabelText('Recipients'), 'la');
    await user.click(await dialog.findByRole('option', { name: 'lara (Lara Cruz)' }));
    const active = { key: 'status', operator: 'equals', values: ['active'] };
    for (const { variables } of sent('UsersLookup')) {
      expect(variables.page).toMatchObject({ where: expect.arrayContaining([active]) as unknown });
    }
    await user.click(dialog.getByRole('button', { name: 'Save schedule' }));
    expect(dialog.getAllByText('Day of the month must be between 1 and 31').length).toBeGreaterThan(0);
    await user.clear(dialog.getByLabelText('Day of the month'));
    await user.type(dialog.getByLabelText('Day of the month'), '31');
    await expectAccessible();
    schedule = reportSchedule();
    await user.click(dialog.getByRole('button', { name: 'Save schedule' }));
    expect(await screen.findByText('Schedule for Deliveries by day saved')).toBeInTheDocument();
    expect(sent('SaveReportSchedule').map(({ variables }) => variables.input)).toEqual([
      {
        reportSettingId: 'r1',
        version: 0,
        schedule: {
          cadence: 'monthly',
          weekday: null,
          monthDay: 31,
          time: '07:00',
          timeZone: 'Asia/Manila',
          recipients: ['lara'],
          format: 'xlsx',
        },
      },
    ]);
    expect(await section().findByText('Every Friday at 07:30, Asia/Manila')).toBeInTheDocument();
  });

  it('is changed, and keeps the dialog open with what the server says', async () => {
    saved = badInput({ time: ['Time must be a time such as 07:30'] });
    const { user } = await open();
    await user.click(await section().findByRole('button', { name: 'Edit schedule' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit schedule' }));
    expect(dialog.getByLabelText('Day of the week')).toHaveValue('friday');
    await user.selectOptions(dialog.getByLabelText('Day of the week'), 'Monday');
    await user.click(dialog.getByRole('button', { name: 'Save schedule' }));
    await waitFor(() => expect(dialog.getByLabelText('Time')).toHaveFocus());
    expect(sent('SaveReportSchedule')[0]?.variables.input).toMatchObject({
      version: 2,
      schedule: { cadence: 'weekly', weekday: 'monday', recipients: ['rosa', 'lara'] },
    });
  });

  it.each([
    ['csv', 'csv'],
    ['pdf', 'xlsx'],
  ])('starts with the format of the report if it is one of its own: %s', async (own, offered) => {
    schedule = null;
    format = own;
    const { user } = await open();
    await user.click(await section().findByRole('button', { name: 'Schedule report' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Schedule report' }));
    expect(dialog.getByLabelText('File type')).toHaveValue(offered);
  });

  it('is saved with the version that filled the form, whatever is read meanwhile', async () => {
    let send: (() => void) | undefined;
    sending = () => new Promise((resolve) => (send = resolve));
    const { user } = await open();
    await user.click(await section().findByRole('button', { name: 'Send now' }));
    await user.click(section().getByRole('button', { name: 'Edit schedule' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Edit schedule' }));
    schedule = reportSchedule({ recipients: ['lara'], version: 3 });
    send?.();
    await waitFor(() => expect(sent('ReportSchedule')).toHaveLength(2));
    expect(await screen.findByText('Sending Deliveries by day...')).toBeInTheDocument();
    await user.selectOptions(dialog.getByLabelText('Day of the week'), 'Monday');
    await user.click(dialog.getByRole('button', { name: 'Save schedule' }));
    await waitFor(() => expect(sent('SaveReportSchedule')).toHaveLength(1));
    expect(sent('SaveReportSchedule')[0]?.variables.input).toMatchObject({ version: 2, schedule: { recipients: ['rosa', 'lara'] } });
  });

  it('is sent now, once for a double click, and shows that it is under way', async () => {
    const { user } = await open();
    const button = await section().findByRole('button', { name: 'Send now' });
    schedule = reportSchedule({ isSending: true });
    await user.dblClick(button);
    expect(await screen.findByText('Sending Deliveries by day...')).toBeInTheDocument();
    expect(await section().findByRole('button', { name: 'Sending...' })).toBeInTheDocument();
    expect(sent('SendReport')).toHaveLength(1);
    expect(sent('SendReport')[0]?.variables.input).toEqual({
      reportSettingId: 'r1',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
    });
  });

  it('is sent once if it is requested again after a lost answer, and another time after that', async () => {
    const { user } = await open();
    const click = async () => user.click(await section().findByRole('button', { name: 'Send now' }));
    sending = () => Promise.reject(new TypeError('lost'));
    await click();
    await screen.findByText('An error has occurred');
    sending = () => Promise.resolve();
    schedule = reportSchedule({ sentAt: '2026-11-20T05:10:00Z' });
    await click();
    await section().findByText('Nov 20, 2026 1:10 PM');
    await click();
    await waitFor(() => expect(sent('SendReport')).toHaveLength(3));
    const ids = sent('SendReport').map(({ variables }) => (variables.input as { requestId: string }).requestId);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[1]);
  });

  it('says why it is paused, and is resumed', async () => {
    schedule = reportSchedule({
      isPaused: true,
      pausedReason: 'Nobody is left who may get this report.',
      nextAt: null,
      failedAt: '2026-11-20T05:10:00Z',
      failure: 'The query takes too long.',
    });
    const { user } = await open();
    expect(await section().findByText('Nobody is left who may get this report.')).toBeInTheDocument();
    expect(section().getByText('The query takes too long.')).toBeInTheDocument();
    await user.click(section().getByRole('button', { name: 'Resume' }));
    expect(await screen.findByText('Schedule for Deliveries by day resumed')).toBeInTheDocument();
    expect(sent('PauseReportSchedule')[0]?.variables).toEqual({
      input: { reportSettingId: 'r1', version: 2, paused: false },
    });
  });

  it('says that it sends nothing while the report is off, except on request', async () => {
    isActive = false;
    const { user } = await open();
    expect(await section().findByText('This report is off, so its schedule sends nothing')).toBeInTheDocument();
    expect(section().getByText('None while the report is off')).toBeInTheDocument();
    expect(section().queryByText('Nov 28, 2026 7:30 AM')).not.toBeInTheDocument();
    await user.click(section().getByRole('button', { name: 'Send now' }));
    expect(await screen.findByText('Sending Deliveries by day...')).toBeInTheDocument();
    await expectAccessible();
  });

  it('says nothing of the kind while the report is on', async () => {
    await open();
    expect(await section().findByText('Nov 28, 2026 7:30 AM')).toBeInTheDocument();
    expect(section().queryByText(/^This report is off/)).not.toBeInTheDocument();
  });

  it('is deleted after a question', async () => {
    const { user } = await open();
    await user.click(await section().findByRole('button', { name: 'Delete schedule' }));
    const question = within(await screen.findByRole('alertdialog'));
    schedule = null;
    await user.click(question.getByRole('button', { name: 'Delete schedule' }));
    expect(await section().findByText('Not scheduled')).toBeInTheDocument();
    expect(sent('DeleteReportSchedule')[0]?.variables).toEqual({ input: { reportSettingId: 'r1', version: 2 } });
  });

  it('says so where mail is not set up', async () => {
    sendsMail = false;
    schedule = null;
    await open();
    expect(await section().findByText("Email isn't set up for this organization")).toBeInTheDocument();
    expect(section().queryByRole('button')).not.toBeInTheDocument();
    await expectAccessible();
  });

  it('can be stopped but not sent where mail is no longer set up', async () => {
    sendsMail = false;
    await open();
    expect(await section().findByRole('button', { name: 'Pause' })).toBeInTheDocument();
    expect(section().queryByRole('button', { name: 'Send now' })).not.toBeInTheDocument();
  });

  it.each([
    ['FORBIDDEN', "You don't have access to do that."],
    ['INTERNAL', 'Something went wrong'],
  ])('says what went wrong when it cannot be read: %s', async (code, message) => {
    read = () => ({ errors: [{ message, extensions: { code } }] });
    const { user } = await open();
    const retry = await section().findByRole('button', { name: 'Retry' });
    read = () => ({ data: { reportSchedule: schedule, sendsMail } });
    await user.click(retry);
    expect(await section().findByText('Every Friday at 07:30, Asia/Manila')).toBeInTheDocument();
  });
});
