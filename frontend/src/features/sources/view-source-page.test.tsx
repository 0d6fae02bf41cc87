import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { uploadLog } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { source } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './view-source-page';

const total = (count: number) => ({ __typename: 'Count', total: count, exact: true });

let server: FakeServer;
let found: object | null;
let roles: string[];
let logs: object[];
let brought: number;

beforeEach(() => {
  found = source('s1');
  roles = ['dispatcher'];
  logs = [uploadLog(), uploadLog({ id: 'u2', filename: 'late.csv', status: 'failed' })];
  brought = 1284;
});

function show() {
  server = startFakeServer({
    user: { ...rosa, roles },
    operations: {
      ViewSource: () => ({ data: { source: found } }),
      SourceImports: () => ({
        data: {
          uploadLogs: logs,
          uploadLogsCount: total(logs.length),
          deliveriesCount: total(brought),
        },
      }),
    },
  });
  return renderRoutes(declarations, '/source/s1');
}

const asked = (name: string) => server.calls.find((call) => call.name === name)?.variables;

it('shows its facts, its imports and the way to its deliveries', async () => {
  show();
  await screen.findByRole('heading', { level: 2, name: 'Warehouse file' });
  const facts = screen.getByRole('region', { name: 'Details' });
  expect(facts).toHaveTextContent('Source StatusActive');
  expect(facts).toHaveTextContent('Required proofSignaturePhoto');
  const panel = within(screen.getByRole('region', { name: 'Imports' }));
  expect(await panel.findByRole('link', { name: 'dispatch-1121.csv' })).toHaveAttribute(
    'href',
    '/uploaded-details/u1',
  );
  const where = [{ key: 'sourceId', operator: 'equals', values: ['s1'] }];
  expect(asked('SourceImports')).toMatchObject({
    page: { where, limit: 5 },
    uploads: where,
    deliveries: where,
  });
  const link = panel.getByRole('link', { name: 'Show all 1,284 deliveries' });
  const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://localhost');
  expect(decodeFilters(searchParams.get('filters')).filters).toEqual([
    { key: 'sourceId', operator: 'equals', values: [{ label: 'Warehouse file', value: 's1' }] },
  ]);
  await expectAccessible();
});

it('says what being disabled means, and that nothing came yet', async () => {
  found = source('s1', { isActive: false, podRequirement: null });
  logs = [];
  brought = 0;
  show();
  await screen.findByText('Imports are refused.');
  expect(screen.getByText('Use system setting')).toBeInTheDocument();
  await screen.findByText('Nothing has been imported from this source yet.');
  expect(screen.getByText('No deliveries from this source yet.')).toBeInTheDocument();
});

it('offers no edit to whoever only reads', async () => {
  roles = ['viewer'];
  show();
  await screen.findByRole('heading', { level: 2, name: 'Warehouse file' });
  expect(screen.queryByRole('link', { name: 'Edit' })).not.toBeInTheDocument();
});

it('says that there is no such source', async () => {
  found = null;
  show();
  await screen.findByRole('heading', { name: 'Source not found' });
  expect(screen.getByRole('link', { name: 'Show sources' })).toHaveAttribute('href', '/sources');
});
