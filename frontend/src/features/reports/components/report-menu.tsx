import { Bookmark, ChartColumn, ChevronDown, Download, Printer, Save, Settings } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { useRecord } from '@/data/use-record';
import { memberOfField } from '@/analytics/delivery-filters';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { toast } from '@/ui/toast';
import { settingInput } from '../definition';
import { savedReportsQuery, updateReportMutation } from '../queries';
import type { Report } from '../use-report';
import { SaveReportDialog } from './save-report-dialog';

const OFFERED = {
  where: [{ key: 'isActive', operator: 'equals', values: ['true'] }],
  sort: [{ key: 'name', direction: 'asc' as const }],
  limit: 100,
  offset: 0,
};

interface ReportMenuProps {
  report: Report;
  /** Saves the rows as a file; undefined while there are none. */
  onCsv: (() => void) | undefined;
}

/** Which report is open, and what can be done with it. */
export function ReportMenu({ report: page, onCsv }: ReportMenuProps) {
  const { saved, report, filters, range, open } = page;
  const { t } = useTranslation(['reports', 'common']);
  const navigate = useNavigate();
  const { hasRole } = useAuth();
  const [isSaving, setSaving] = useState(false);
  const [, update] = useMutation(updateReportMutation);
  const offered = useRecord({
    document: savedReportsQuery,
    variables: { page: OFFERED },
    typenames: ['ReportSetting'],
    read: ({ reportSettings }) => reportSettings,
  });
  const mayKeep = hasRole('admin');

  async function overwrite() {
    if (!saved) return;
    const { id, version, name, format, isActive } = saved;
    const reportSetting = { name, format, isActive, ...settingInput(report, filters, range, memberOfField) };
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
        <DropdownMenuContent align="start" className="max-h-96 max-w-80 overflow-auto">
          <DropdownMenuLabel>{t('reports')}</DropdownMenuLabel>
          <DropdownMenuItem icon={ChartColumn} onSelect={() => open(undefined)}>
            {t('first')}
          </DropdownMenuItem>
          {offered.value?.map(({ id, name }) => (
            <DropdownMenuItem key={id} icon={Bookmark} onSelect={() => open(id)}>
              <span className="truncate">{name}</span>
            </DropdownMenuItem>
          ))}
          {mayKeep && (
            <>
              <DropdownMenuSeparator />
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
            <DropdownMenuItem icon={Save} onSelect={() => setSaving(true)}>
              {t('saveNew')}
            </DropdownMenuItem>
            {saved && (
              <DropdownMenuItem icon={Save} onSelect={() => void overwrite()}>
                {t('overwrite', { name: saved.name })}
              </DropdownMenuItem>
            )}
          </DropdownMenuContent>
        </DropdownMenu>
      )}
      <Button icon={Download} disabled={!onCsv} onClick={onCsv}>
        {t('csv')}
      </Button>
      <Button icon={Printer} onClick={() => window.print()}>
        {t('print')}
      </Button>
      {isSaving && <SaveReportDialog report={page} onClose={() => setSaving(false)} />}
    </div>
  );
}
