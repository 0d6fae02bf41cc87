import { screen, within } from '@testing-library/react';
import { declarations } from '@/app/declarations';
import { completedDelivery, reasonsAnswer } from './delivery';
import { type Answer, type FakeServer, rosa, startFakeServer } from './fake-server';
import { renderRoutes } from './render';

interface Stage {
  server: FakeServer;
  delivery: Record<string, unknown> | null;
  failing: boolean;
  /** Replaces the links to files. */
  link: Answer | undefined;
}

/** The data of the fake server; tests change it before opening the delivery. */
export const stage = {} as Stage;

export function setStage() {
  stage.failing = false;
  stage.link = undefined;
  stage.delivery = completedDelivery();
}

export function openDelivery(
  path = '/view-delivery/DR-1',
  { roles = ['admin'], state }: { roles?: string[]; state?: unknown } = {},
) {
  stage.server = startFakeServer({
    user: { ...rosa, roles },
    operations: {
      ViewDelivery: ({ id }) => {
        if (stage.failing) throw new TypeError('lost');
        return { data: { delivery: stage.delivery && { ...stage.delivery, id } } };
      },
      Reasons: () => reasonsAnswer,
      MutatePresignedUrl: ({ url }) =>
        stage.link ?? {
          data: {
            mutatePresignedUrl: { __typename: 'PresignedUrl', presignedUrl: `${String(url)}?sig=1` },
          },
        },
      ResolveConflict: () => ({
        data: {
          resolveConflict: { __typename: 'Delivery', id: 'DR-1', version: 4, conflict: false },
        },
      }),
    },
  });
  const [pathname = '', search = ''] = path.split('?');
  return renderRoutes(declarations, { pathname, search: search && `?${search}`, state });
}

export async function ready(id = 'DR-1') {
  await screen.findByRole('heading', { level: 2, name: id });
}

export const fact = (label: string) => screen.getByText(label, { selector: 'dt' }).nextElementSibling;
export const panel = (name: string) => within(screen.getByRole('region', { name }));
export const sent = (name: string) => stage.server.calls.filter((call) => call.name === name);
