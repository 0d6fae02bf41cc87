import { act, screen } from '@testing-library/react';
import { useEffect, useState } from 'react';
import { expect, it, vi } from 'vitest';
import { userVersionQuery } from '@/features/users/queries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderPage } from '@/test/render';
import { setTimeZone } from '@/test/time-zone';
import { defineForm, labeled } from './define-form';
import { dateTime } from './kinds';
import { DefinedFields, useEditForm } from './record-form';

const definition = defineForm({
  labels: 'users:fields',
  className: '',
  fields: { at: labeled('common:cancel', dateTime()) },
});

it('shows a newer version of the record that arrives together with the time zone, and nothing edited', async () => {
  startFakeServer({ user: rosa });
  interface Row {
    version: number;
    at: string;
  }
  const loaded = vi.fn<(load: (row: Row) => void) => void>();
  function Edit() {
    const [record, setRecord] = useState<Row>({ version: 1, at: '2026-11-20T01:30:00Z' });
    useEffect(() => loaded(setRecord), []);
    const { form, base } = useEditForm({
      definition,
      record,
      versionQuery: userVersionQuery,
      recordKey: { id: '1' },
      save: () => Promise.resolve({}),
      onSaved: () => () => undefined,
    });
    return (
      <form aria-label={`Version ${base.version}, ${form.formState.isDirty ? 'edited' : 'unedited'}`}>
        <DefinedFields definition={definition} form={form} />
      </form>
    );
  }
  const { auth } = renderPage(<Edit />);
  expect(await screen.findByLabelText('Time')).toHaveValue('09:30');
  act(() => {
    loaded.mock.lastCall?.[0]({ version: 2, at: '2026-11-20T02:45:00Z' });
    setTimeZone(auth, 'UTC');
  });
  expect(screen.getByRole('form')).toHaveAccessibleName('Version 2, unedited');
  expect(screen.getByLabelText('Time')).toHaveValue('02:45');
});
