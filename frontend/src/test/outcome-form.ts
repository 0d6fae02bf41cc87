import { screen } from '@testing-library/react';
import { vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { fullDelivery, reasonsAnswer } from './delivery';
import { FakeRequest } from './fake-request';
import { type Answer, type FakeServer, rosa, startFakeServer } from './fake-server';
import { renderRoutes } from './render';

interface Stage {
  server: FakeServer;
  delivery: Record<string, unknown>;
  /** Organization settings that differ from the defaults. */
  settings: Record<string, unknown>;
  answers: Record<string, (variables: Record<string, unknown>) => Answer | Promise<Answer>>;
}

/** The data of the fake server; tests change it before opening the form. */
export const stage = {} as Stage;

export const recorded = (deliverystatus: string): Answer => ({
  data: { recordOutcome: { __typename: 'Delivery', id: 'DR-1', version: 4, deliverystatus } },
});

export function setStage() {
  FakeRequest.all = [];
  vi.stubGlobal('XMLHttpRequest', FakeRequest);
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }));
  stage.delivery = fullDelivery();
  stage.settings = {};
  stage.answers = {
    ViewDelivery: ({ id }) => ({ data: { delivery: { ...stage.delivery, id } } }),
    Reasons: () => reasonsAnswer,
    RecordOutcome: () => recorded('Complete_No_Variance'),
    CorrectDelivery: () => ({
      data: {
        correctDelivery: {
          __typename: 'Delivery',
          id: 'DR-1',
          version: 4,
          deliverystatus: 'Complete_No_Variance',
        },
      },
    }),
    RequestAttachmentLink: ({ input }) => ({
      data: {
        requestAttachmentLink: {
          __typename: 'AttachmentLink',
          url: `/objects/up/${(input as { filename: string }).filename}?sig=1`,
        },
      },
    }),
    AddAttachment: () => ({ data: { addAttachment: { __typename: 'Attachment', id: 'a1' } } }),
  };
}

/** Opens the form of an outcome, or the form that edits the delivery. */
export async function open(outcome?: string, id = 'DR-1') {
  stage.server = startFakeServer({
    user: { ...rosa, settings: stage.settings },
    operations: Object.fromEntries(
      Object.keys(stage.answers).map((name) => [
        name,
        (variables: Record<string, unknown>) =>
          stage.answers[name]?.(variables) ?? { errors: [{ message: 'none' }] },
      ]),
    ),
  });
  const address = `/edit-delivery/${encodeURIComponent(id)}`;
  const view = renderRoutes(declarations, outcome === undefined ? address : `${address}?outcome=${outcome}`);
  await screen.findByRole('heading', { level: 2, name: id });
  return view;
}

export const sent = (name: string) => stage.server.calls.filter((call) => call.name === name);
export const inputs = (name: string) => sent(name).map(({ variables }) => variables.input);
/** Finds a text field by its label. The accessible name of an optional field also contains "Optional". */
export const box = (name: string) =>
  screen.getByRole('textbox', { name: new RegExp(`^${name}(Optional)?$`) });
export const save = () => screen.getByRole('button', { name: 'Save' });
export const implied = () => screen.getByRole('status', { name: 'Status calculated from item quantities' });
export const picker = (name: string) => screen.getByLabelText(name, { selector: 'input[type="file"]' });
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const line = (itemNumber: string, changes: Record<string, unknown> = {}) => ({
  itemNumber,
  quantityDelivered: itemNumber === '10' ? 40 : 24,
  quantityRejected: 0,
  condition: 'ok',
  varianceReason: null,
  varianceNote: null,
  ...changes,
});
export const photo = new File(['jpeg'], 'goods.jpg', { type: 'image/jpeg' });
