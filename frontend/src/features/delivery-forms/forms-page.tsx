import { Download, RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { deliveriesChangedSubscription } from '@/data/use-changes';
import { useTimeZone } from '@/data/use-time-zone';
import {
  customerColumn,
  dispatchColumn,
  idColumn,
  processedColumn,
  referenceColumn,
  shipmentColumn,
  statusColumn,
  truckerColumn,
} from '@/domain/delivery-list/columns';
import { filters, views } from '@/domain/delivery-list/filters';
import { dayOf } from '@/lib/dates';
import { downloadBlob } from '@/lib/download-blob';
import { formatCount } from '@/lib/numbers';
import {
  type BulkAction,
  type BulkDialogProps,
  defineResource,
  type ListColumn,
} from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { useMissingPartText } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import { type Paper, PaperSwitch, usePaper } from './paper';
import { type FormRow, formsByStatusQuery, formsQuery } from './queries';
import { MissingPartError, zipForms, type ZipResult } from './zip-forms';

const columns: readonly ListColumn<FormRow>[] = [
  idColumn,
  dispatchColumn,
  statusColumn,
  {
    id: 'formVersion',
    labelKey: 'delivery-forms:fields.form',
    kind: 'text',
    value: ({ formVersion }) => formVersion,
    render: ({ formVersion }) => <VersionText version={formVersion} />,
    width: 116,
    priority: 2,
    cardSlot: 'third-end',
  },
  customerColumn,
  { ...processedColumn, emptyKey: 'delivery-forms:notProcessed', priority: 1 },
  {
    id: 'driverId',
    labelKey: 'deliveries:fields.driverId',
    kind: 'text',
    value: ({ driverId }) => driverId,
    emptyKey: 'common:unassigned',
    sortable: true,
    width: 124,
    initiallyHidden: true,
  },
  { ...truckerColumn, initiallyHidden: true },
  shipmentColumn,
  referenceColumn,
];

/** Key of the list in storage and in history entries. */
const FORMS = 'forms';

const formsResource = defineResource({
  name: FORMS,
  typename: 'Delivery',
  document: formsQuery,
  toList: ({ deliveries, deliveriesCount }) => ({ rows: deliveries, count: deliveriesCount }),
  rowId: ({ id }) => id,
  rowHref: ({ id }) => routes.viewForm({ deliveryId: id }),
  columns,
  filters,
  views,
  viewCounts: formsByStatusQuery,
  changes: deliveriesChangedSubscription,
  defaultSort: [{ key: 'scheduledatetime', direction: 'desc' }],
  texts: {
    count: 'deliveries:count',
    countOver: 'deliveries:countOver',
    tableName: 'delivery-forms:table',
    emptyTitle: 'delivery-forms:empty.title',
    emptyText: 'delivery-forms:empty.text',
    noMatchTitle: 'delivery-forms:noMatch',
  },
});

export type ZipState =
  | { status: 'asking' }
  | { status: 'running'; done: number; total: number }
  | { status: 'done'; result: ZipResult }
  | { status: 'broken'; message: string; ids: readonly string[] };

/** Downloads the forms of several deliveries as one ZIP. */
function useZipDownload(paper: Paper) {
  const { getToken } = useAuth();
  const timeZone = useTimeZone();
  const missingPartText = useMissingPartText();
  const [state, setState] = useState<ZipState>({ status: 'asking' });
  const running = useRef<AbortController>(undefined);
  const rounds = useRef(0);

  useEffect(() => () => running.current?.abort(), []);

  async function start(ids: readonly string[]) {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    const total = ids.length;
    setState({ status: 'running', done: 0, total });
    try {
      const result = await zipForms(ids, {
        paper,
        getToken,
        signal,
        onProgress: (done) => {
          if (!signal.aborted) setState({ status: 'running', done, total });
        },
      });
      if (signal.aborted) return;
      if (result.zip) {
        rounds.current += 1;
        const round = rounds.current > 1 ? `-${rounds.current}` : '';
        downloadBlob(`delivery-forms-${dayOf(new Date(), timeZone)}${round}.zip`, result.zip);
      }
      setState({ status: 'done', result });
    } catch (error) {
      const isMissing = error instanceof MissingPartError;
      const message = isMissing ? await missingPartText() : error instanceof Error ? error.message : String(error);
      if (!signal.aborted) setState({ status: 'broken', message, ids });
    }
  }

  function cancel() {
    running.current?.abort();
    setState({ status: 'asking' });
  }

  return { state, start, cancel };
}

const bulkActions: readonly BulkAction<object>[] = [
  {
    id: 'download',
    labelKey: 'delivery-forms:zip.title',
    icon: Download,
    shortcut: 'd',
    // Every delivery fits, because the dialog lists those without a form.
    fits: () => true,
    dialog: DownloadDialog,
  },
];

export default function FormsPage() {
  return (
    <PageFrame fill>
      <ResourceList resource={formsResource} bulkActions={bulkActions} />
    </PageFrame>
  );
}

/** Downloads the forms of the selected deliveries as a ZIP of PDFs. */
function DownloadDialog({ ids, onSelect, onClose }: BulkDialogProps) {
  const { t } = useTranslation(['delivery-forms', 'common']);
  const [paper, setPaper] = usePaper();
  const { state, start, cancel } = useZipDownload(paper);
  const failed = state.status === 'done' ? state.result.failed : [];

  function close() {
    // Ignore other ways to close the dialog: only the Cancel button stops a running download.
    if (state.status === 'running') return;
    if (state.status === 'done' && failed.length === 0) onSelect([]);
    onClose();
  }

  const again = (wanted: readonly string[]) => (
    <Button icon={RefreshCw} onClick={() => void start(wanted)}>
      {t('retry', { ns: 'common' })}
    </Button>
  );

  return (
    <Dialog open onOpenChange={close}>
      <DialogContent
        title={t('zip.title')}
        description={
          state.status === 'asking' &&
          t('zip.text', { count: ids.length, shown: formatCount(ids.length) })
        }
        width={560}
        staysOpen
        footer={
          <>
            {state.status === 'asking' && (
              <>
                <Button onClick={close}>{t('cancel', { ns: 'common' })}</Button>
                <Button variant="primary" onClick={() => void start(ids)}>
                  {t('zip.start')}
                </Button>
              </>
            )}
            {state.status === 'running' && (
              <Button onClick={cancel}>{t('cancel', { ns: 'common' })}</Button>
            )}
            {state.status === 'broken' && again(state.ids)}
            {failed.length > 0 && again(failed.map(({ deliveryId }) => deliveryId))}
            {(state.status === 'done' || state.status === 'broken') && (
              <Button variant="primary" onClick={close}>
                {t('close', { ns: 'common' })}
              </Button>
            )}
          </>
        }
      >
        {state.status === 'asking' && (
          <div className="flex items-center gap-3">
            <span aria-hidden className="text-sm font-medium">
              {t('paper.title')}
            </span>
            <PaperSwitch paper={paper} onChange={setPaper} />
          </div>
        )}
        {state.status === 'running' && (
          <div className="flex flex-col gap-2">
            <ProgressBar label={t('zip.title')} value={state.done / state.total} />
            <p role="status" className="text-sm text-muted tabular-nums">
              {t('zip.progress', {
                done: formatCount(state.done),
                total: formatCount(state.total),
              })}
            </p>
          </div>
        )}
        {state.status === 'done' && <ZipResultNote result={state.result} />}
        {state.status === 'broken' && (
          <Note tone="bad" role="alert" title={t('zip.broken')}>
            {state.message}
          </Note>
        )}
      </DialogContent>
    </Dialog>
  );
}

const list =
  'max-h-60 divide-y divide-line overflow-auto rounded-control border border-line text-sm';

/** Contents of the ZIP, and the forms that are missing with their errors. */
function ZipResultNote({ result }: { result: ZipResult }) {
  const { t } = useTranslation('delivery-forms');
  const { saved, missing, failed } = result;
  const summary = useRef<HTMLDivElement>(null);
  const isAll = missing.length + failed.length === 0;

  // The button that had the focus was removed, so focus the summary.
  useEffect(() => summary.current?.focus(), []);

  return (
    <div className="flex flex-col gap-4">
      <Note
        ref={summary}
        role="status"
        tone={saved === 0 ? 'bad' : isAll ? 'ok' : 'warn'}
        title={t(saved === 0 ? 'zip.nothing' : 'zip.saved', {
          count: saved,
          shown: formatCount(saved),
        })}
      />
      {failed.length > 0 && (
        <div>
          <h3 id="zip-failed" className="mb-1 text-sm font-semibold">
            {t('zip.failed', { count: failed.length, shown: formatCount(failed.length) })}
          </h3>
          {/* Scrolls, so it must be reachable by keyboard. */}
          <ul aria-labelledby="zip-failed" tabIndex={0} className={list}>
            {failed.map(({ deliveryId, text }) => (
              <li key={deliveryId} className="px-3 py-2">
                <span className="font-medium tabular-nums wrap-anywhere">{deliveryId}</span>
                <span className="block text-muted">{text}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
      {missing.length > 0 && (
        <div>
          <h3 id="zip-missing" className="mb-1 text-sm font-semibold">
            {t('zip.missing', { count: missing.length, shown: formatCount(missing.length) })}
          </h3>
          <p className="mb-1 text-xs text-muted">{t('zip.missingText')}</p>
          <ul aria-labelledby="zip-missing" tabIndex={0} className={list}>
            {missing.map((deliveryId) => (
              <li key={deliveryId} className="px-3 py-1.5 tabular-nums wrap-anywhere">
                {deliveryId}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** The current form version of a delivery, if any. */
function VersionText({ version }: { version: number }) {
  const { t } = useTranslation('delivery-forms');
  if (version === 0) return <span className="text-muted">{t('noneYet')}</span>;
  return t('version', { version });
}
