import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { endpoint } from '@/test/dead-letters';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderPage } from '@/test/render';
import { Endpoints } from './endpoints';

it('keeps a source of an endpoint that is not listed, also once another was selected and cleared', async () => {
  const server = startFakeServer({
    user: rosa,
    operations: {
      OutboundEndpoints: () => ({
        data: {
          outboundEndpoints: [endpoint('e1', { sourceIds: ['s101'] })],
          sources: [{ __typename: 'Source', id: 's1', name: 'Web' }],
        },
      }),
      DeadLetterProducers: () => ({ data: { deadLetterProducers: [] } }),
      SaveOutboundEndpoint: () => ({
        data: {
          saveOutboundEndpoint: { __typename: 'OutboundEndpoint', id: 'e1', name: 'ERP', secret: null },
        },
      }),
    },
  });
  const { user } = renderPage(<Endpoints />);
  expect(await screen.findByText('1 other source')).toBeInTheDocument();
  expect(screen.queryByText('All sources')).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Edit' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit ERP' }));
  const listed = dialog.getByRole('checkbox', { name: 'Web' });
  await user.click(listed);
  await user.click(listed);
  await user.click(dialog.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(server.calls.find(({ name }) => name === 'SaveOutboundEndpoint')?.variables).toMatchObject({
      input: { sourceIds: ['s101'] },
    }),
  );
});
