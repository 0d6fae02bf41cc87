import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { normalizeError } from '@/data/errors';
import { QueryState } from '@/data/query-state';
import { usePreviousData } from '@/data/use-record';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { Select } from '@/ui/input';
import { StateView } from '@/ui/state-view';
import { Table } from '@/ui/table';
import {
  importMappingQuery,
  saveImportMappingMutation,
  type ImportMapping,
  type UploadLog,
} from './queries';

const SHOWN_CELLS = 5;
/** A file has either a combined date and time column or a separate date column. */
const DATE_AND_TIME = 'scheduledatetime';
const DATE = 'scheduledate';

interface MatchColumnsProps {
  log: UploadLog;
  onSaved: () => void;
}

/** Lets the user match columns whose header was not recognized. */
export function MatchColumns({ log, onSaved }: MatchColumnsProps) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const [headerLine, setHeaderLine] = useState<number>();
  const [{ data, error }, execute] = useQuery({
    query: importMappingQuery,
    variables: useMemo(
      () => ({ uploadLog: log.id, ...(headerLine && { headerLine }) }),
      [log.id, headerLine],
    ),
    // The suggestions change with every saved mapping.
    requestPolicy: 'network-only',
  });
  const mapping = usePreviousData(data?.importMapping, log.id);
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('mapping.title')} />
      <p className="px-4 pb-3 text-sm text-muted">{t('mapping.text')}</p>
      <QueryState
        value={mapping}
        error={error}
        onRetry={() => execute({ requestPolicy: 'network-only' })}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {(found) => (
          <Choices
            // Start over for another header row, which has different columns.
            key={found.headerLine}
            log={log}
            mapping={found}
            onHeaderLine={setHeaderLine}
            onSaved={onSaved}
          />
        )}
      </QueryState>
    </Panel>
  );
}

interface ChoicesProps {
  log: UploadLog;
  mapping: ImportMapping;
  onHeaderLine: (line: number) => void;
  onSaved: () => void;
}

function Choices({ log, mapping, onHeaderLine, onSaved }: ChoicesProps) {
  const { t } = useTranslation('imports');
  const [, execute] = useMutation(saveImportMappingMutation);
  const [chosen, setChosen] = useState(() => mapping.columns.map(({ field }) => field));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const has = (name: string) => chosen.includes(name);
  const missing = mapping.fields.filter(
    ({ name, required }) => required && !has(name) && !(name === DATE_AND_TIME && has(DATE)),
  );

  async function save() {
    setBusy(true);
    setFailure(undefined);
    const input = { uploadLog: log.id, headerLine: mapping.headerLine, fields: chosen };
    const { error } = await execute({ input });
    setBusy(false);
    if (!error) return onSaved();
    const { detail, message } = normalizeError(error);
    setFailure(detail ?? message);
  }
  const nameOf = ({ heading, index }: { heading: string; index: number }) =>
    heading || t('mapping.nameless', { number: index + 1 });

  return (
    <div className="flex flex-col gap-4 pb-4">
      <div className="px-4">
        <Field label={t('mapping.header.label')} hint={t('mapping.header.hint')}>
          <Select
            value={mapping.headerLine}
            disabled={busy}
            onChange={({ target }) => onHeaderLine(Number(target.value))}
          >
            {mapping.rows.map(({ line, cells }) => (
              <option key={line} value={line}>
                {t('mapping.header.row', { line, cells: cells.slice(0, SHOWN_CELLS).join(', ') })}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <div
        role="region"
        aria-label={t('mapping.columns')}
        tabIndex={0}
        className="overflow-x-auto border-y border-line focus-visible:-outline-offset-2"
      >
        <Table
          look="texts"
          className="sm:min-w-[560px]"
          columns={[
            {
              id: 'heading',
              header: t('mapping.heading'),
              render: nameOf,
              names: true,
              cellClassName: 'wrap-anywhere',
            },
            {
              id: 'examples',
              header: t('mapping.examples'),
              render: ({ examples }) => examples.join(' · '),
              cellClassName: 'text-muted wrap-anywhere',
            },
            {
              id: 'field',
              header: t('mapping.field'),
              render: (column) => (
                <Select
                  aria-label={t('mapping.fieldOf', { name: nameOf(column) })}
                  value={chosen[column.index] ?? ''}
                  disabled={busy}
                  onChange={({ target }) =>
                    setChosen(chosen.with(column.index, target.value === '' ? null : target.value))
                  }
                >
                  <option value="">{t('mapping.leaveOut')}</option>
                  {mapping.fields.map((field) => (
                    <option
                      key={field.name}
                      value={field.name}
                      disabled={has(field.name) && chosen[column.index] !== field.name}
                    >
                      {field.label}
                    </option>
                  ))}
                </Select>
              ),
              cellClassName: 'w-1/2 sm:w-64',
            },
          ]}
          rows={mapping.columns.map((column, index) => ({ ...column, index }))}
          rowKey={({ index }) => String(index)}
        />
      </div>
      <div className="flex flex-col gap-3 px-4">
        {failure !== undefined && (
          <Note tone="bad" role="alert">
            {failure}
          </Note>
        )}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p role="status" className="text-sm text-muted">
            {missing.length === 0
              ? t('mapping.complete')
              : t('mapping.missing', { names: missing.map(({ label }) => label).join(', ') })}
          </p>
          <Button
            variant="primary"
            disabled={busy || missing.length > 0}
            onClick={() => void save()}
          >
            {t(busy ? 'mapping.saving' : 'mapping.save')}
          </Button>
        </div>
      </div>
    </div>
  );
}
