import { render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { type Client, Provider } from 'urql';
import { uploadLog } from '@/test/deliveries';
import { toast } from '@/ui/toast';
import type { UploadLog } from './queries';
import { DownloadRefused } from './refused-rows';
import type { Corrections } from './use-corrections';

it('waits for what was typed last, and says when the rows have changed', async () => {
  const query = vi.fn(() => ({ toPromise: () => Promise.resolve({ data: { uploadLog: null } }) }));
  const client = { query } as unknown as Client;
  let settle: (saved: boolean) => void = () => undefined;
  const settled = () => new Promise<boolean>((resolve) => (settle = resolve));
  const corrections = { settled } as unknown as Corrections;
  const log = uploadLog({ status: 'imported_with_errors', rowsFailed: 2 }) as unknown as UploadLog;
  const say = vi.spyOn(toast, 'error').mockImplementation(() => '');
  const user = userEvent.setup();
  render(
    <Provider value={client}>
      <DownloadRefused log={log} corrections={corrections} />
    </Provider>,
  );
  const download = () => screen.findByRole('button', { name: 'Download refused rows' });

  await user.click(await download());
  expect(screen.getByRole('button', { name: 'Preparing' })).toHaveAttribute('aria-disabled', 'true');
  settle(false);
  await user.click(await download());
  expect(query).not.toHaveBeenCalled();
  settle(true);
  await download();
  expect(query).toHaveBeenCalledOnce();
  await waitFor(() => expect(say.mock.calls[0]?.[0]).toMatch(/^The refused rows changed while/));
});
