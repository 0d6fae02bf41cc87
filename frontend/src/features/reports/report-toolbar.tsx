import {
  Bookmark,
  CalendarClock,
  ChartColumn,
  ChevronDown,
  Download,
  FileSpreadsheet,
  Printer,
  Save,
  Settings,
} from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { mostDays } from '@/domain/analytics/buckets';
import { memberOfField } from '@/domain/analytics/delivery-filters';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { useRecord } from '@/data/use-record';
import { GRANULARITIES } from '@/domain/analytics/query';
import { useEventId } from '@/form/use-save';
import { daysIn } from '@/lib/dates';
import { FilterChips } from '@/list/filter-chip';
import { FilterMenu } from '@/list/filter-menu';
import { routes } from '@/routing/routes';
import { useWhileHere } from '@/routing/use-while-here';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { DialogForm } from '@/ui/dialog-form';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { Field } from '@/ui/field';
import { Input, Select } from '@/ui/input';
import { Panel } from '@/ui/panel';
import { toast } from '@/ui/toast';
import { areDefault, DEFAULT_FILTERS, NONE, settingInput } from './definition';
import { createReportMutation, type SavedReport, savedReportsQuery, updateReportMutation } from './queries';
import type { Report } from './use-report';

/** Option for the grouping of a saved report with several dimensions, which no other option describes. */
const SAVED = 'saved';

export function ReportToolbar({ report: page }: { report: Report }) {
  const { fields, filters, range, timeZone, setFilters, report, members, measure, change } = page;
  const { t } = useTranslation(['reports', 'list', 'report-settings']);
  const button = useRef<HTMLButtonElement>(null);
  const [menuOpen, setMenuOpen] = useState(false);
  const [first, ...more] = report.dimensions;
  const split = more.length > 0 ? SAVED : (first ?? NONE);
  const dimensions = members.filter(({ kind }) => kind === 'dimension');
  const measures = members.filter(({ kind }) => kind === 'measure');

  return (
    <Panel aria-label={t('toolbar')} className="flex flex-wrap items-end gap-x-4 gap-y-3 px-3 py-3 print:border-0 print:px-0">
      <div className="flex min-w-0 flex-1 basis-72 flex-wrap items-center gap-2">
        <span className="print:hidden">
          <FilterMenu
            {...{ fields, filters, timeZone, button }}
            open={menuOpen}
            onOpenChange={setMenuOpen}
            onChange={setFilters}
          />
        </span>
        <FilterChips
          {...{ fields, filters, timeZone, button }}
          label={t('list:activeFilters')}
          className="contents"
          onChange={setFilters}
        />
        {!areDefault(filters) && (
          <Button
            variant="quiet"
            className="print:hidden"
            onClick={() => {
              setFilters([...DEFAULT_FILTERS]);
              button.current?.focus();
            }}
          >
            {t('list:clear')}
          </Button>
        )}
      </div>
      <div className="flex flex-wrap items-end gap-2 print:hidden">
        <Field label={t('measure')} className="w-40">
          <Select size={32} value={measure} onChange={({ target }) => change('measure', target.value)}>
            {measures.map(({ member, title }) => (
              <option key={member} value={member}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('by')} className="w-36">
          <Select
            size={32}
            value={report.granularity ?? NONE}
            onChange={({ target }) => change('by', target.value)}
          >
            <option value={NONE}>{t('wholeRange')}</option>
            {GRANULARITIES.map((granularity) => (
              <option key={granularity} value={granularity} disabled={daysIn(range) > mostDays(granularity)}>
                {t(`report-settings:granularities.${granularity}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('split')} className="w-40">
          <Select
            size={32}
            value={split}
            onChange={({ target }) => change('split', target.value === SAVED ? null : target.value)}
          >
            <option value={NONE}>{t('noSplit')}</option>
            {split === SAVED && <option value={SAVED}>{t('asSaved')}</option>}
            {dimensions.map(({ member, title }) => (
              <option key={member} value={member}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Panel>
  );
}

const PAGE = 100;
const pageOf = (offset: number) => ({
  where: [{ key: 'isActive', operator: 'equals', values: ['true'] }],
  sort: [{ key: 'name', direction: 'asc' as const }],
  limit: PAGE,
  offset,
});
const REPORTS_OFFERED = { first: pageOf(0), second: pageOf(PAGE) };

type Format = SavedReport['format'];

const FORMATS = ['csv', 'xlsx', 'pdf'] as const satisfies readonly Format[];
/** A PDF is made by printing. */
const FORMAT_TEXTS = { csv: 'csv', xlsx: 'xlsx', pdf: 'print' } as const satisfies Record<Format, string>;
const FORMAT_ICONS = { csv: Download, xlsx: FileSpreadsheet, pdf: Printer };

/** Returns the formats that a report can be saved in, that of its report setting first. */
function formatsOf(saved: SavedReport | undefined): readonly Format[] {
  return saved ? [saved.format, ...FORMATS.filter((format) => format !== saved.format)] : FORMATS;
}

interface ReportMenuProps {
  report: Report;
  /** Downloads the rows; undefined without rows. */
  files: { csv: () => void; xlsx: () => void } | undefined;
}

/** Shows the open report with its actions. */
export function ReportMenu({ report: page, files }: ReportMenuProps) {
  const { saved, definition, filters, range, open } = page;
  const { t } = useTranslation(['reports', 'common']);
  const navigate = useNavigate();
  const { hasRole } = useAuth();
  const [isSaving, setSaving] = useState(false);
  const [, update] = useMutation(updateReportMutation);
  const offered = useRecord({
    document: savedReportsQuery,
    variables: REPORTS_OFFERED,
    typenames: ['ReportSetting'],
    read: ({ first, second }) => [...first, ...second],
  });
  const mayKeep = hasRole('admin');

  async function overwrite() {
    if (!saved || !definition) return;
    const { id, version, name, format, isActive } = saved;
    const reportSetting = { name, format, isActive, ...settingInput(definition, filters, range, memberOfField) };
    const { data, error } = await update({ input: { id, version, reportSetting } });
    if (data) toast.success(t('saved', { name }));
    else toast.error(errorText(normalizeError(error)));
  }

  return (
    <div className="flex flex-wrap items-center gap-2 print:hidden">
      <DropdownMenu>
        <DropdownMenuTrigger asChild>
          <Button icon={Bookmark} endIcon={ChevronDown} className="max-w-72">
            <span className="sr-only">{t('openReport')} </span>
            <span className="truncate">{saved?.name ?? t('first')}</span>
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent align="start" size="list" className="max-w-80">
          <DropdownMenuLabel>{t('reports')}</DropdownMenuLabel>
          <DropdownMenuItem icon={ChartColumn} onSelect={() => open(undefined)}>
            {t('first')}
          </DropdownMenuItem>
          {offered.value?.map(({ id, name }) => (
            <DropdownMenuItem key={id} icon={Bookmark} onSelect={() => open(id)}>
              <span dir="auto" className="truncate">{name}</span>
            </DropdownMenuItem>
          ))}
          {mayKeep && (
            <>
              <DropdownMenuSeparator />
              {saved && (
                <DropdownMenuItem
                  icon={CalendarClock}
                  onSelect={() => void navigate(routes.reportSetting({ id: saved.id }))}
                >
                  {t('schedule')}
                </DropdownMenuItem>
              )}
              <DropdownMenuItem icon={Settings} onSelect={() => void navigate(routes.reportSettings())}>
                {t('manage')}
              </DropdownMenuItem>
            </>
          )}
        </DropdownMenuContent>
      </DropdownMenu>
      <span className="flex-1" />
      {mayKeep && (
        <DropdownMenu>
          <DropdownMenuTrigger asChild>
            <Button icon={Save} endIcon={ChevronDown}>
              {t('common:save')}
            </Button>
          </DropdownMenuTrigger>
          <DropdownMenuContent>
            <DropdownMenuItem icon={Save} disabled={!definition} onSelect={() => setSaving(true)}>
              {t('saveNew')}
            </DropdownMenuItem>
            {saved && (
              <DropdownMenuItem icon={Save} disabled={!definition} onSelect={() => void overwrite()}>
                {t('overwrite', { name: saved.name })}
              </DropdownMenuItem>
            )}
          </DropdownMenuContent>
        </DropdownMenu>
      )}
      {formatsOf(saved).map((format) => (
        <Button
          key={format}
          variant={format === saved?.format ? 'primary' : 'default'}
          icon={FORMAT_ICONS[format]}
          disabled={format !== 'pdf' && !files}
          onClick={format === 'pdf' ? () => window.print() : files?.[format]}
        >
          {t(FORMAT_TEXTS[format])}
        </Button>
      ))}
      {isSaving && <SaveReportDialog report={page} onClose={() => setSaving(false)} />}
    </div>
  );
}

interface SaveReportDialogProps {
  report: Report;
  onClose: () => void;
}

/** Saves the open report to the report settings. */
function SaveReportDialog({ report: page, onClose }: SaveReportDialogProps) {
  const { saved, definition, filters, range, open } = page;
  const { t } = useTranslation(['reports', 'common']);
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string>();
  const [{ fetching }, create] = useMutation(createReportMutation);
  const creationId = useEventId();
  const whileHere = useWhileHere();

  async function save() {
    const trimmed = name.trim();
    if (!definition) return;
    if (!trimmed) {
      setFailure(t('nameNeeded'));
      return;
    }
    const reportSetting = {
      name: trimmed,
      format: saved?.format ?? ('csv' as const),
      isActive: true,
      ...settingInput(definition, filters, range, memberOfField),
    };
    const { data, error } = await create({ input: { reportSetting, creationId: creationId(reportSetting) } });
    if (!data) {
      setFailure(errorText(normalizeError(error)));
      return;
    }
    toast.success(t('saved', { name: trimmed }));
    void whileHere(() => open(data.createReportSetting.id));
    onClose();
  }

  return (
    <Dialog open onOpenChange={() => !fetching && onClose()}>
      <DialogContent
        title={t('saveNew')}
        description={t('saveText')}
        footer={
          <>
            <Button disabled={fetching} onClick={onClose}>
              {t('common:cancel')}
            </Button>
            <Button type="submit" form="save-report" variant="primary" disabled={fetching}>
              {t(fetching ? 'saving' : 'common:save')}
            </Button>
          </>
        }
      >
        <DialogForm id="save-report" onSubmit={save}>
          <Field label={t('name')} error={failure} required>
            <Input
              value={name}
              onChange={({ target }) => {
                setName(target.value);
                setFailure(undefined);
              }}
            />
          </Field>
        </DialogForm>
      </DialogContent>
    </Dialog>
  );
}
