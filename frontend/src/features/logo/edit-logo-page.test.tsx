import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { FakeRequest } from '@/test/fake-request';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { currentVersion } from '@/test/parties';
import { renderRoutes } from '@/test/render';
import {
  LOGO_ID,
  LOGO_PATH,
  LOGO_URL,
  logoInformation,
  logoValue,
  setting,
  settingChanged,
} from '@/test/settings';
// Loaded up front, so that no test waits for a lazy import.
import './edit-logo-page';

const LINK = 'https://waybill.example/objects/logos/incoming/k2.png?X-Signature=abc';
const OBJECT = 'https://waybill.example/objects/logos/incoming/k2.png';
const NEW_URL = `https://waybill.example/logo/${'cd'.repeat(32)}.png`;

let server: FakeServer;
let value: string;
let version: number;
let link: () => Response;
let presign: () => Answer;
let update: (variables: Record<string, unknown>) => Answer;
/** Object URLs that were not revoked. */
let urls: Set<string>;

const json = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

beforeEach(() => {
  value = logoValue();
  version = 3;
  link = () => json({ ok: true, url: LINK });
  presign = () => ({
    data: { mutatePresignedUrl: { __typename: 'PresignedUrl', presignedUrl: NEW_URL } },
  });
  update = ({ input }) => {
    ({ value } = input as { value: string });
    version += 1;
    return { data: { updateSettingValue: setting(LOGO_ID, { value, version }) } };
  };
  urls = new Set();
  let made = 0;
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  FakeRequest.all = [];
  URL.createObjectURL = () => {
    made += 1;
    urls.add(`blob:${made}`);
    return `blob:${made}`;
  };
  URL.revokeObjectURL = (url) => urls.delete(url);
});

async function open() {
  server = startFakeServer({
    user: rosa,
    paths: { '/request-logo-upload-link': () => link() },
    operations: {
      FindSystemSettingById: () => ({ data: { setting: setting(LOGO_ID, { value, version }) } }),
      LogoVersion: () => currentVersion('SystemSetting', version),
      GetLogoInformation: () => logoInformation(value),
      MutatePresignedUrl: () => presign(),
      UpdateSettingValue: (variables) => update(variables),
    },
  });
  const view = renderRoutes(declarations, '/admin/settings/edit-logo');
  await screen.findByRole('heading', { name: 'Live preview' });
  return view;
}

const png = (name = 'habagat.png', size = 4) => new File(['x'.repeat(size)], name);
const input = () => {
  const found = document.querySelector('input[type="file"]');
  if (!found) throw new Error('no input');
  return found as HTMLInputElement;
};
const choose = (file: File) => fireEvent.change(input(), { target: { files: [file] } });
const save = () => screen.getByRole('button', { name: /^Sav/ });
const number = (name: string) => screen.getByRole('spinbutton', { name });
const preview = (theme: string) => within(screen.getByRole('group', { name: `${theme} theme` }));
const pictures = () =>
  ['Light', 'Dark'].map((theme) => preview(theme).getByRole('img').getAttribute('src'));
/** Requests to the server, in order. */
const asked = () =>
  server.calls
    .map(({ name }) => name)
    .filter((name) => /request-logo|MutatePresigned|UpdateSettingValue/.test(name));
const updates = () =>
  server.calls
    .filter(({ name }) => name === 'UpdateSettingValue')
    .map(({ variables }) => variables.input as { id: string; value: string; version: number });
const uploaded = () => waitFor(() => expect(FakeRequest.all).toHaveLength(1));
const note = () => within(screen.getByRole('main')).findByRole('alert');

describe('the screen', () => {
  it('has a picker of images, a live preview, three numbers and Save', async () => {
    await open();
    expect(screen.getByRole('group', { name: 'Change logo:' })).toBeInTheDocument();
    expect(input().accept).toBe('.svg,.jpeg,.jpg,.png');
    expect(screen.getByText('SVG, JPEG or PNG')).toBeInTheDocument();
    expect(pictures()).toEqual([LOGO_PATH, LOGO_PATH]);
    for (const [name, min, max, now] of [
      ['Size', 1, 130, 116],
      ['Gap below logo', 1, 30, 12],
      ['Vertical align', -30, 30, -3],
    ] as const) {
      const box = number(name);
      expect(box).toHaveAttribute('min', String(min));
      expect(box).toHaveAttribute('max', String(max));
      expect(box).toHaveAttribute('step', '1');
      expect(box).toHaveValue(now);
      expect(screen.getByRole('slider', { name: `${name}, slider` })).toHaveValue(String(now));
    }
    expect(save()).toBeDisabled();
    await expectAccessible();
  });

  it('says Add logo: while there is none, and has the defaults', async () => {
    value = '{}';
    await open();
    expect(screen.getByRole('group', { name: 'Add logo:' })).toBeInTheDocument();
    expect(number('Size')).toHaveValue(130);
    expect(number('Gap below logo')).toHaveValue(8);
    expect(number('Vertical align')).toHaveValue(0);
    await expectAccessible();
  });

  it('is not broken by a setting that is', async () => {
    value = '{"url": 7, "size": "big"';
    await open();
    expect(screen.getByRole('group', { name: 'Add logo:' })).toBeInTheDocument();
    expect(number('Size')).toHaveValue(130);
  });

  it('shows what is changed at once, in both themes', async () => {
    await open();
    choose(png());
    await waitFor(() => expect(pictures()).toEqual(['blob:1', 'blob:1']));
    fireEvent.change(screen.getByRole('slider', { name: 'Size, slider' }), {
      target: { value: '65' },
    });
    expect(number('Size')).toHaveValue(65);
    for (const theme of ['Light', 'Dark']) {
      expect(preview(theme).getByRole('img')).toHaveStyle({ width: '65px', height: '20px' });
    }
    expect(screen.getByRole('group', { name: 'Dark theme' })).toHaveAttribute(
      'data-theme',
      'dark',
    );
  });

  it('gives the addresses of chosen files back', async () => {
    const { user, unmount } = await open();
    choose(png());
    await waitFor(() => expect([...urls]).toEqual(['blob:1']));
    choose(png('other.svg'));
    await waitFor(() => expect([...urls]).toEqual(['blob:2']));
    await user.click(screen.getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect([...urls]).toEqual([]));
    expect(pictures()).toEqual([LOGO_PATH, LOGO_PATH]);
    choose(png());
    await waitFor(() => expect(urls.size).toBe(1));
    unmount();
    expect(urls.size).toBe(0);
  });
});

describe('a file', () => {
  it.each(['a.svg', 'a.jpeg', 'a.jpg', 'a.png', 'A.PNG'])('may be %s', async (name) => {
    await open();
    choose(png(name));
    await screen.findByText(name);
    expect(screen.queryByText('Invalid file')).not.toBeInTheDocument();
    expect(save()).toBeEnabled();
  });

  it.each(['a.gif', 'a.webp', 'a.svg.exe', 'png', 'a.pdf', 'a.html'])(
    "gives 'Invalid file' when it is %s",
    async (name) => {
      await open();
      choose(png(name));
      // The message is at the file field and in a toast.
      expect(await screen.findAllByText('Invalid file')).toHaveLength(2);
      expect(save()).toBeDisabled();
      expect(pictures()).toEqual([LOGO_PATH, LOGO_PATH]);
    },
  );

  it.each(['Save', 'Cancel'])('that was refused is forgotten with %s', async (name) => {
    const { user } = await open();
    choose(png('a.gif'));
    const group = within(screen.getByRole('group', { name: 'Change logo:' }));
    expect(await group.findByText('Invalid file')).toBeInTheDocument();
    fireEvent.change(number('Vertical align'), { target: { value: '5' } });
    await user.click(screen.getByRole('button', { name }));
    // The button that was used keeps the focus, so that it isn't `disabled`.
    await waitFor(() => expect(save()).toHaveAttribute(name === 'Save' ? 'aria-disabled' : 'disabled'));
    expect(asked()).toEqual(name === 'Save' ? ['UpdateSettingValue'] : []);
    expect(group.queryByText('Invalid file')).not.toBeInTheDocument();
  });

  it('of nothing is refused as well, and one that is too large', async () => {
    await open();
    choose(png('a.png', 0));
    expect(await screen.findAllByText('Invalid file')).toHaveLength(2);
    choose(png('a.png', 2 * 1024 * 1024 + 1));
    expect(await screen.findAllByText('The file is larger than 2.0 MB.')).toHaveLength(2);
    expect(save()).toBeDisabled();
  });

  it('may be dropped, or pasted', async () => {
    await open();
    const group = screen.getByRole('group', { name: 'Change logo:' });
    const zone = group.querySelector('.border-dashed');
    if (!zone) throw new Error('no zone');
    fireEvent.drop(zone, { dataTransfer: { files: [png('dropped.svg')] } });
    await screen.findByText('dropped.svg');
    fireEvent.paste(document.body, { clipboardData: { files: [png('pasted.png')] } });
    await screen.findByText('pasted.png');
  });

  it('is required when no logo url exists', async () => {
    value = '{}';
    const { user } = await open();
    expect(screen.getByText(/^A logo file is required/)).toBeInTheDocument();
    await user.clear(number('Size'));
    await user.type(number('Size'), '100{Enter}');
    expect(save()).toBeDisabled();
    expect(asked()).toEqual([]);
    choose(png());
    await waitFor(() => expect(save()).toBeEnabled());
    expect(screen.queryByText(/^A logo file is required/)).not.toBeInTheDocument();
  });
});

it.each([
  ['Size', '0', 'Size is too low'],
  ['Size', '131', 'Size is too high'],
  ['Size', '1.5', 'Size is not formatted correctly'],
  ['Size', '', 'Size is required'],
  ['Gap below logo', '0', 'Gap below logo is too low'],
  ['Gap below logo', '31', 'Gap below logo is too high'],
  ['Vertical align', '-31', 'Vertical align is too low'],
  ['Vertical align', '31', 'Vertical align is too high'],
])('%s does not take %j: %s', async (name, text, message) => {
  const { user } = await open();
  fireEvent.change(number(name), { target: { value: text } });
  expect(await screen.findByText(message)).toBeInTheDocument();
  await user.click(save());
  expect(asked()).toEqual([]);
  // The preview keeps the last valid value.
  expect(preview('Light').getByRole('img')).toHaveStyle({ width: '116px' });
});

describe('saving', () => {
  it('with a new file asks for a link, uploads, asks for a presigned link, then saves', async () => {
    const { user, address } = await open();
    choose(png());
    await user.clear(number('Gap below logo'));
    await user.type(number('Gap below logo'), '20');
    await user.dblClick(save());
    await uploaded();
    expect(asked()).toEqual(['/request-logo-upload-link']);
    const request = FakeRequest.last();
    expect([request.method, request.url]).toEqual(['PUT', LINK]);
    expect((request.body as File).name).toBe('habagat.png');

    // While saving, the button is disabled and shows the progress.
    expect(save()).toHaveTextContent('Saving...');
    expect(save()).toHaveAttribute('aria-disabled', 'true');
    const steps = within(screen.getByRole('region', { name: 'Saving' }));
    expect(steps.getByText('Step 2 of 4')).toBeInTheDocument();
    request.progress(16, 25);
    await waitFor(() => expect(steps.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '64'));
    await expectAccessible();
    request.answer(200);

    expect(await screen.findByText('Logo updated')).toBeInTheDocument();
    expect(asked()).toEqual(['/request-logo-upload-link', 'MutatePresignedUrl', 'UpdateSettingValue']);
    expect(server.calls.find(({ name }) => name === 'MutatePresignedUrl')?.variables).toEqual({
      url: OBJECT,
    });
    expect(updates().map(({ id, version: sent }) => [id, sent])).toEqual([[LOGO_ID, 3]]);
    expect(JSON.parse(updates()[0]?.value ?? '')).toEqual({
      url: NEW_URL,
      size: 116,
      gap: 20,
      vertical: -3,
      urlObject: OBJECT,
    });

    // The form is reset to the saved values, and the drawer shows them immediately. The button keeps the focus.
    await waitFor(() => expect(save()).toHaveTextContent('Save'));
    expect(save()).toHaveAttribute('aria-disabled', 'true');
    expect(save()).toHaveFocus();
    expect(address()).toBe('/admin/settings/edit-logo');
    expect(number('Gap below logo')).toHaveValue(20);
    expect(screen.queryByText('habagat.png')).not.toBeInTheDocument();
    await waitFor(() => {
      const shown = screen.getAllByRole('img', { name: 'Habagat Logistics' });
      expect(shown.map((picture) => picture.getAttribute('src'))).toEqual(
        Array.from({ length: 3 }, () => `/logo/${'cd'.repeat(32)}.png`),
      );
    });
    expect(urls.size).toBe(0);
  });

  it('without a new file saves the existing url', async () => {
    const { user } = await open();
    fireEvent.change(number('Vertical align'), { target: { value: '5' } });
    await user.click(save());
    expect(await screen.findByText('Logo updated')).toBeInTheDocument();
    expect(asked()).toEqual(['UpdateSettingValue']);
    expect(FakeRequest.all).toEqual([]);
    expect(JSON.parse(updates()[0]?.value ?? '')).toMatchObject({ url: LOGO_URL, vertical: 5 });
    // Save again, now based on the new version.
    fireEvent.change(number('Vertical align'), { target: { value: '6' } });
    await user.click(save());
    await waitFor(() => expect(updates().map((sent) => sent.version)).toEqual([3, 4]));
  });

  async function saveFile() {
    const view = await open();
    choose(png());
    await view.user.click(save());
    return view;
  }

  async function expectFailure(message: string, detail?: string) {
    const shown = await note();
    expect(shown).toHaveTextContent(detail ? `${message}${detail}` : message);
    // The message is repeated in a toast.
    expect(screen.getAllByText(message)).toHaveLength(2);
    // The input is kept for a retry.
    await waitFor(() => expect(save()).toHaveTextContent('Save'));
    expect(save()).toBeEnabled();
    expect(screen.getByText('habagat.png')).toBeInTheDocument();
    expect(screen.queryByText('Logo updated')).not.toBeInTheDocument();
  }

  it("stops at a link that could not be had: 'upload url request failed'", async () => {
    link = () => json({ ok: false, error: 'no' }, 500);
    await saveFile();
    await expectFailure('upload url request failed', 'no');
    await expectAccessible();
    expect(asked()).toEqual(['/request-logo-upload-link']);
    expect(FakeRequest.all).toEqual([]);
  });

  it.each([403, 201, 0])("stops at an upload with status %i: 'logo upload failed'", async (status) => {
    await saveFile();
    await uploaded();
    FakeRequest.last().answer(status);
    await expectFailure('logo upload failed', 'Upload failed. Something went wrong');
    expect(asked()).toEqual(['/request-logo-upload-link']);
  });

  it("stops at a presigned link that could not be had: 'Failed to request presigned url'", async () => {
    const advice = 'Choose an undamaged PNG.';
    const extensions = { code: 'BAD_USER_INPUT', properties: { messages: { url: [advice] } } };
    presign = () => ({ errors: [{ message: 'Invalid file', extensions }] });
    await saveFile();
    await uploaded();
    FakeRequest.last().answer(200);
    await expectFailure('Failed to request presigned url', `Invalid file. ${advice}`);
    expect(updates()).toEqual([]);
  });

  it("says of a setting that could not be saved: 'Failed to update logo'", async () => {
    update = () => ({ errors: [{ message: 'The settings are away.' }] });
    const { user } = await saveFile();
    await uploaded();
    FakeRequest.last().answer(200);
    await expectFailure('Failed to update logo', 'The settings are away.');

    // A retry repeats all steps.
    update = () => ({ data: { updateSettingValue: setting(LOGO_ID, { version: 4 }) } });
    await user.click(save());
    await waitFor(() => expect(FakeRequest.all).toHaveLength(2));
    FakeRequest.last().answer(200);
    expect(await screen.findByText('Logo updated')).toBeInTheDocument();
  });

  it('tells who was faster', async () => {
    update = () => {
      version = 5;
      value = logoValue({ gap: 25 });
      return settingChanged;
    };
    const { user } = await open();
    fireEvent.change(number('Gap below logo'), { target: { value: '3' } });
    await user.click(save());
    await screen.findByText(/dennis changed this on Nov 20, 2026 3:01 PM/);
    await user.click(screen.getByRole('button', { name: 'Reload' }));
    await waitFor(() => expect(number('Gap below logo')).toHaveValue(25));
    expect(save()).toBeDisabled();
  });

  it('can be canceled while it runs, and nothing is saved', async () => {
    const { user } = await saveFile();
    await uploaded();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(save()).toHaveTextContent('Save'));
    expect(screen.queryByRole('region', { name: 'Saving' })).not.toBeInTheDocument();
    expect(asked()).toEqual(['/request-logo-upload-link']);
    // The chosen file is still shown; a second Cancel discards it.
    expect(screen.getByText('habagat.png')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByText('habagat.png')).not.toBeInTheDocument());
    expect(save()).toBeDisabled();
  });

  it('asks before what is not saved is lost', async () => {
    const { user, address } = await open();
    choose(png());
    const primary = within(screen.getByRole('navigation', { name: 'Primary' }));
    await user.click(primary.getByRole('link', { name: 'Deliveries' }));
    await screen.findByRole('alertdialog', { name: 'Leave without saving?' });
    expect(address()).toBe('/admin/settings/edit-logo');
  });
});
