import { CircleCheck, FileSpreadsheet } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { QueryState, StaleRecordNote } from '@/data/query-state';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Select } from '@/ui/input';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { Tag } from '@/ui/tag';
import { ColumnsReading } from './columns-reading';
import { ColumnsTable } from './columns-table';
import { DefaultValues } from './default-values';
import { DiscardImport } from './discard-import';
import { ImportSteps } from './import-steps';
import { FileWarnings } from './import-warnings';
import { DOCUMENT, HeaderRow, ItemsSheet } from './items-sheet';
import type { ImportMapping } from './mapping-queries';
import { PausedNote } from './paused-note';
import type { UploadLog } from './queries';
import { SavedMappings } from './saved-mappings';
import { type ColumnChoices, type ColumnsStep, requiredFields, useColumnsStep } from './use-columns-step';

interface MatchColumnsProps {
  log: UploadLog;
  onSaved: () => void;
}

/** The step of an import in which the user decides how its file is read. */
export function MatchColumns({ log, onSaved }: MatchColumnsProps) {
  const { t } = useTranslation('common');
  const step = useColumnsStep(log.id, onSaved);
  const { mapping, choices, error, retry } = step;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <ImportSteps log={log} />
        <FileFacts log={log} mapping={mapping} />
      </div>
      <QueryState
        value={mapping}
        error={error}
        onRetry={retry}
        loading={
          <Panel>
            <StateView kind="loading" title={t('loading')} />
          </Panel>
        }
        empty={null}
      >
        {(found) =>
          choices && <Choices log={log} step={step} mapping={found} choices={choices} onDiscarded={onSaved} />
        }
      </QueryState>
    </>
  );
}

/** Name of the file, and what is read of it. */
function FileFacts({ log, mapping }: { log: UploadLog; mapping: ImportMapping | undefined }) {
  const { t } = useTranslation('imports');
  const sheet = mapping?.sheets.find(({ chosen }) => chosen)?.name;
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm">
      <FileSpreadsheet aria-hidden className="size-4 shrink-0 text-accent" />
      <h2 tabIndex={-1} className="min-w-0 font-medium wrap-anywhere">
        {log.filename}
      </h2>
      {mapping && (
        <p className="text-muted">
          {sheet && <>{t('mapping.facts.sheet', { name: sheet })}, </>}
          {t('mapping.facts.header', { line: mapping.headerLine })},{' '}
          {t('mapping.facts.rows', { count: mapping.rowCount, shown: formatCount(mapping.rowCount) })}
        </p>
      )}
    </div>
  );
}

interface ChoicesProps {
  log: UploadLog;
  step: ColumnsStep;
  mapping: ImportMapping;
  choices: ColumnChoices;
  onDiscarded: () => void;
}

function Choices({ log, step, mapping, choices, onDiscarded }: ChoicesProps) {
  const { t } = useTranslation('imports');
  const id = useId();
  const disabled = step.saving || step.loading;
  const { count, missing } = requiredFields(mapping, choices);
  const matched = count - missing.length;
  return (
    <>
      {step.isStale && <StaleRecordNote onRetry={step.retry} className="mb-4" />}
      <FileWarnings warnings={mapping.warnings} className="mb-4" />
      <div className="mb-4 grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_300px]">
        <Panel aria-labelledby={id} className="overflow-hidden">
          <PanelHead
            id={id}
            title={t('mapping.title')}
            note={t('mapping.requiredHint')}
            tools={
              <Tag tone={missing.length === 0 ? 'ok' : 'warn'} {...(missing.length === 0 && { icon: CircleCheck })}>
                {t('mapping.matched', { matched, required: count })}
              </Tag>
            }
          />
          <p className="px-4 text-sm text-muted">{t('mapping.text')}</p>
          <SavedMappings log={log} step={step} mapping={mapping} choices={choices} disabled={disabled} />
          <Place step={step} mapping={mapping} disabled={disabled} />
          <ColumnsTable
            caption={t('mapping.columns')}
            columns={mapping.columns}
            fields={mapping.fields}
            chosen={choices.fields}
            taken={choices.items?.fields.filter((name) => name !== DOCUMENT) ?? []}
            disabled={disabled}
            onChoose={(fields) => step.change({ fields })}
          />
          <ItemsSheet step={step} mapping={mapping} choices={choices} disabled={disabled} />
          <DefaultValues
            key={`${mapping.headerLine} ${mapping.sheets.find(({ chosen }) => chosen)?.name}`}
            mapping={mapping}
            choices={choices}
            disabled={disabled}
            onChange={(defaults) => step.change({ defaults })}
          />
        </Panel>
        <ColumnsReading mapping={mapping} choices={choices} disabled={disabled} onChange={step.change} />
      </div>
      {!mapping.dryRun && <PausedNote className="mb-4" />}
      {(step.failure ?? mapping.problem) && (
        <Note tone="bad" role="alert" className="mb-4">
          {step.failure ?? mapping.problem}
        </Note>
      )}
      <div className="sticky bottom-0 z-10 -mx-4 mt-auto -mb-6 flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 border-t border-line bg-surface px-4 py-2 short:static md:-mx-6 md:px-6">
        <p role="status" className="min-w-0 flex-1 text-sm text-muted max-sm:basis-full">
          {missing.length > 0 && t('mapping.missing', { names: missing.join(', ') })}
          {missing.length === 0 && mapping.problem === null && t('mapping.complete')}
        </p>
        <div className="ms-auto flex flex-wrap gap-2 max-sm:w-full max-sm:*:flex-1">
          <DiscardImport log={log} size={36} disabled={step.saving} onDiscarded={onDiscarded} />
          <Button asChild size={36}>
            <Link to={routes.uploadDeliveries()}>{t('mapping.back')}</Link>
          </Button>
          <Button
            variant="primary"
            size={36}
            disabled={disabled || step.isStale || missing.length > 0 || mapping.problem !== null}
            onClick={step.submit}
          >
            {t(step.saving ? 'mapping.saving' : mapping.dryRun ? 'mapping.next.check' : 'mapping.next.import')}
          </Button>
        </div>
      </div>
    </>
  );
}

/** Which sheet is read, and which of its rows has the headings. */
function Place({ step, mapping, disabled }: Pick<ChoicesProps, 'step' | 'mapping'> & { disabled: boolean }) {
  const { t } = useTranslation('imports');
  const sheet = mapping.sheets.find(({ chosen }) => chosen)?.name;
  return (
    <div className="grid gap-4 px-4 pt-3 pb-4 sm:grid-cols-2">
      {mapping.sheets.length > 1 && (
        <Field label={t('mapping.sheet.label')}>
          <Select
            value={sheet}
            disabled={disabled}
            onChange={({ target }) => step.chooseSheet(target.value)}
          >
            {mapping.sheets.map(({ name, rowCount }) => (
              <option key={name} value={name}>
                {t('mapping.sheet.option', { name, count: rowCount, shown: formatCount(rowCount) })}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <HeaderRow
        label={t('mapping.header.label')}
        rows={mapping.rows}
        line={mapping.headerLine}
        disabled={disabled}
        onChoose={step.chooseHeader}
      />
    </div>
  );
}
