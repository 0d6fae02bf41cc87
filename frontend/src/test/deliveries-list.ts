import { screen } from '@testing-library/react';
import { declarations } from '@/app/declarations';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { deliveryRow, lookedAtAll } from './deliveries';
import { type FakeServer, rosa, startFakeServer } from './fake-server';
import { renderRoutes } from './render';

interface Page {
  where: { key: string; operator: string; values: string[] }[];
  sort: { key: string; direction: string }[];
  limit: number;
  offset: number;
}

interface Total {
  total: number;
  exact: boolean;
}

interface Stage {
  server: FakeServer;
  failing: boolean;
  tooBroad: boolean;
  total: Total;
  /** Number of rows that match the filters; undefined if all match. */
  matching: Total | undefined;
  driverOfFirst: Record<string, unknown>;
}

/** The data of the fake server; tests change it before opening the list. */
export const stage = {} as Stage;
export const slow = { timeout: 15_000 };
const TOTAL = 52;
// The number is small, since jsdom takes seconds to compute the roles of a full page.
const ROWS = 3;

export function setStage() {
  lookedAtAll();
  stage.failing = false;
  stage.tooBroad = false;
  stage.total = { total: TOTAL, exact: true };
  stage.matching = undefined;
  stage.driverOfFirst = {};
  stage.server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: (variables) => {
        if (stage.failing) throw new TypeError('lost');
        if (stage.tooBroad) {
          const extensions = { code: 'FAILED_PRECONDITION', reason: 'LIST_TOO_BROAD' };
          return { errors: [{ message: 'Narrow the Delivery Doc or the dates.', extensions }] };
        }
        const page = variables.page as Page;
        const found = (page.where.length > 0 && stage.matching) || stage.total;
        const rows = Array.from(
          { length: Math.max(0, Math.min(ROWS, found.total - page.offset)) },
          (_, index) =>
            deliveryRow(1000 + page.offset + index, index === 0 ? stage.driverOfFirst : {}),
        );
        const count = { __typename: 'Count', ...found };
        return { data: { deliveries: rows, deliveriesCount: count } };
      },
      CustomersLookup: () => ({
        data: {
          customers: [
            { __typename: 'Customer', customerName: 'Bayan Mart Cubao', customerEmail: null },
          ],
        },
      }),
      ReasonsLookup: () => ({
        data: {
          reasons: ['Recipient absent', 'Other', 'Other'].map((label, order) => ({
            __typename: 'Reason',
            code: `R${order}`,
            appliesTo: 'undelivered',
            label,
            order,
          })),
        },
      }),
      TruckersLookup: () => ({ errors: [{ message: 'down' }] }),
    },
  });
}

export const filterOf = (key: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  key,
  operator,
  values: values.map((value) => ({ label: value, value })),
});
export const addressOf = (...filters: Filter[]) =>
  `/deliveries?${new URLSearchParams({ filters: encodeFilters(filters) })}`;

export const asked = () => {
  const page = stage.server.calls.findLast(({ name }) => name === 'DeliveriesPage')?.variables.page;
  return page as Page;
};

export async function openList(address = '/deliveries') {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { level: 1, name: 'Deliveries' }, slow);
  return view;
}

export const firstRow = () => screen.findByRole('link', { name: 'DR-1000' }, slow);
export const header = (name: string) => screen.getByRole('columnheader', { name });
