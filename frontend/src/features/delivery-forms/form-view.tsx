import { Download, Link2, Printer } from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { downloadBlob } from '@/lib/download-blob';
import { fileName } from '@/lib/file-name';
import { usePageKeys } from '@/list/list-shortcuts';
import { RecordLink } from '@/list/record-link';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Note, type NoteTone } from '@/ui/note';
import { StatusChip } from '@/ui/status-chip';
import { Switch } from '@/ui/checkbox';
import { Tag } from '@/ui/tag';
import { toast } from '@/ui/toast';
import { pageHeading, useFocusFallback } from '@/ui/use-focus-fallback';
import { checkCode, type CodeCheck } from './check-code';
import { FormPaper } from './form-paper';
import { fetchPdf, type Paper, PaperSwitch, type Part, PARTS, usePaper } from './paper';
import {
  type Form,
  type FormDelivery,
  type FormDescription,
  type FormVersion,
  incompleteFormQuery,
} from './queries';
import { usePrint } from './use-print';

/** The address of one form version. */
function formAddress({ deliveryId, formVersion }: Pick<Form, 'deliveryId' | 'formVersion'>): string {
  return `${window.location.origin}${routes.viewForm({ deliveryId, formVersion })}`;
}

/**
 * Loads the text of the form without the excluded parts. The server words it, so that screen, print and PDF agree.
 * While it loads, the previous text stays and is marked as pending.
 */
function useDescription(form: Form, complete: FormDescription, without: readonly Part[]) {
  const isComplete = without.length === 0;
  const [result, execute] = useQuery({
    query: incompleteFormQuery,
    requestPolicy: 'cache-and-network',
    variables: {
      deliveryId: form.deliveryId,
      formVersion: form.formVersion,
      without: [...without],
    },
    pause: isComplete,
  });
  const known = useRef(complete);

  useEffect(() => {
    if (known.current === complete) return;
    known.current = complete;
    // The form was loaded again after a change, so this text may be out of date.
    if (!isComplete) execute({ requestPolicy: 'network-only' });
  }, [complete, isComplete, execute]);

  const incomplete = result.data?.deliveryForm?.description;
  const isPending = !isComplete && (result.fetching || result.stale || !incomplete);
  // While it loads again, the result still has the previous error.
  const hasFailed = !isComplete && !result.fetching && result.error !== undefined;
  return {
    description: isComplete ? complete : (incomplete ?? complete),
    isPending: isPending && !hasFailed,
    hasFailed,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}

/** Downloads one form version as PDF. */
function usePdfDownload(
  form: Pick<Form, 'deliveryId' | 'formVersion'>,
  look: { paper: Paper; without: readonly Part[] },
) {
  const { getToken } = useAuth();
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController>(undefined);

  useEffect(() => () => running.current?.abort(), []);

  async function run() {
    const { signal } = (running.current = new AbortController());
    setBusy(true);
    const { deliveryId, formVersion } = form;
    try {
      const pdf = await fetchPdf({ deliveryId, formVersion, ...look }, { getToken, signal });
      const file = new Blob([pdf], { type: 'application/pdf' });
      downloadBlob(`${fileName(deliveryId, `v${formVersion}`)}.pdf`, file);
    } catch (error) {
      if (signal.aborted) return;
      toast.error(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  }

  return { isBusy, start: () => !isBusy && void run() };
}

interface FormViewProps {
  delivery: FormDelivery;
  form: Form;
  complete: FormDescription;
  /** The code of a printed form, if the page was opened from one. */
  code: string | undefined;
}

/** The form with its actions and its other versions. */
export function FormView({ delivery, form, complete, code }: FormViewProps) {
  const { t } = useTranslation('delivery-forms');
  const [paper, setPaper] = usePaper();
  const [without, setWithout] = useState<readonly Part[]>([]);
  const { description, isPending, hasFailed, retry } = useDescription(form, complete, without);
  const sheet = useRef<HTMLElement>(null);
  const failure = useRef<HTMLDivElement>(null);
  // Retry buttons disappear when they have worked.
  const content = useFocusFallback<HTMLDivElement>(pageHeading);
  const printing = usePrint(sheet, failure, hasFailed);
  return (
    <div className="flex min-w-0 flex-1 max-xl:flex-col print:block">
      <div className="flex min-w-0 flex-1 flex-col print:block">
        <FormToolbar
          form={form}
          paper={paper}
          without={without}
          onPaper={setPaper}
          onPrint={printing.start}
        />
        <div ref={content} className="flex-1 bg-raised p-4 md:p-6 print:bg-transparent print:p-0">
          {code !== undefined && (
            <div className="mx-auto mb-4 max-w-[816px] print:hidden">
              <CodeNote deliveryId={form.deliveryId} check={checkCode(code, form, delivery)} />
            </div>
          )}
          {hasFailed && <IncludeNote ref={failure} onRetry={retry} onAll={() => setWithout([])} />}
          {printing.isLong && <PrintNote onCancel={printing.cancel} />}
          <FormPaper ref={sheet} {...{ form, description, paper, isPending }} />
        </div>
      </div>
      <aside
        aria-label={t('about')}
        className="w-[296px] shrink-0 border-s border-line bg-surface max-xl:w-full max-xl:border-t max-xl:border-s-0 print:hidden"
      >
        <IncludeSwitches without={without} onChange={setWithout} />
        <VersionList
          delivery={delivery}
          shown={form.formVersion}
          correctionReason={form.content?.correctionReason ?? null}
        />
      </aside>
    </div>
  );
}

interface IncludeNoteProps {
  onRetry: () => void;
  onAll: () => void;
  ref: RefObject<HTMLDivElement | null>;
}

/** Explains that the form still shows what was turned off. */
function IncludeNote({ onRetry, onAll, ref }: IncludeNoteProps) {
  const { t } = useTranslation(['delivery-forms', 'common']);
  return (
    <Note
      ref={ref}
      tone="bad"
      role="alert"
      title={t('include.failed')}
      className="mx-auto mb-4 max-w-[816px] print:hidden"
      action={
        <span className="flex flex-wrap gap-2">
          <Button size={28} onClick={onRetry}>
            {t('common:retry')}
          </Button>
          <Button size={28} onClick={onAll}>
            {t('include.all')}
          </Button>
        </span>
      }
    >
      {t('include.failedText')}
    </Note>
  );
}

/** Explains why nothing is printed yet. */
function PrintNote({ onCancel }: { onCancel: () => void }) {
  const { t } = useTranslation(['delivery-forms', 'common']);
  return (
    <Note
      tone="info"
      role="status"
      title={t('printing.title')}
      className="mx-auto mb-4 max-w-[816px] print:hidden"
      action={
        <Button size={28} onClick={onCancel}>
          {t('common:cancel')}
        </Button>
      }
    >
      {t('printing.text')}
    </Note>
  );
}

const tones: Record<CodeCheck['result'], NoteTone> = {
  newest: 'ok',
  superseded: 'warn',
  different: 'bad',
};

interface CodeNoteProps {
  deliveryId: string;
  check: CodeCheck;
}

/** The result of checking the code of a printed form. */
function CodeNote({ deliveryId, check }: CodeNoteProps) {
  const { t } = useTranslation('delivery-forms');
  const { result, version } = check;
  return (
    <Note
      tone={tones[result]}
      role={result === 'different' ? 'alert' : 'status'}
      title={t(`code.${result}.title`, { version })}
    >
      {result === 'superseded' ? (
        <>
          {t('code.superseded.text', { by: check.by })}{' '}
          <RecordLink
            to={routes.viewForm({ deliveryId, formVersion: check.by })}
            className="font-medium text-accent hover:underline"
          >
            {t('code.superseded.show', { by: check.by })}
          </RecordLink>
        </>
      ) : (
        t(`code.${result}.text`)
      )}
    </Note>
  );
}

interface FormToolbarProps {
  form: Form;
  paper: Paper;
  without: readonly Part[];
  onPaper: (paper: Paper) => void;
  onPrint: () => void;
}

function FormToolbar({ form, paper, without, onPaper, onPrint }: FormToolbarProps) {
  const { t } = useTranslation(['delivery-forms', 'common']);
  const pdf = usePdfDownload(form, { paper, without });
  const hasKeys = usePageKeys({ p: onPrint });

  async function copy() {
    try {
      await navigator.clipboard.writeText(formAddress(form));
      toast.success(t('tools.copied'));
    } catch {
      toast.error(t('tools.copyFailed'));
    }
  }

  return (
    <div className="flex min-h-12 flex-wrap items-center gap-2 border-b border-line bg-surface px-4 py-2 md:px-6 print:hidden">
      <h2 className="me-1 text-base font-semibold wrap-anywhere">
        <RecordLink
          to={routes.viewDelivery({ deliveryId: form.deliveryId })}
          className="hover:underline"
        >
          {form.deliveryId}
        </RecordLink>
      </h2>
      <StatusChip kind="delivery" status={form.status} size={24} />
      <div className="ms-auto flex flex-wrap items-center gap-2 max-md:ms-0">
        <PaperSwitch paper={paper} onChange={onPaper} />
        <Button icon={Link2} onClick={() => void copy()}>
          {t('tools.copy')}
        </Button>
        <Button icon={Download} aria-disabled={pdf.isBusy || undefined} onClick={pdf.start}>
          {t(pdf.isBusy ? 'tools.downloading' : 'tools.download')}
        </Button>
        <Button
          variant="primary"
          icon={Printer}
          {...(hasKeys && { 'aria-keyshortcuts': 'p', 'data-tip': t('tools.print'), 'data-tip-keys': 'p' })}
          onClick={onPrint}
        >
          {t('tools.print')}
        </Button>
      </div>
    </div>
  );
}

interface IncludeSwitchesProps {
  without: readonly Part[];
  onChange: (without: readonly Part[]) => void;
}

/** Switches for optional parts of the form, on screen, in print and in the PDF. */
function IncludeSwitches({ without, onChange }: IncludeSwitchesProps) {
  const { t } = useTranslation('delivery-forms');
  const id = useId();
  return (
    <section aria-labelledby={id} className="border-b border-line p-4">
      <h3 id={id} className="mb-2 text-base font-semibold">
        {t('include.title')}
      </h3>
      <div className="flex flex-col">
        {PARTS.map((part) => (
          <Switch
            key={part}
            label={t(`include.${part}`)}
            checked={!without.includes(part)}
            onChange={() =>
              onChange(PARTS.filter((it) => without.includes(it) !== (it === part)))
            }
            className="h-9 flex-row-reverse justify-between pointer-coarse:h-11"
          />
        ))}
      </div>
      <p className="mt-1 text-xs text-muted">{t('include.hint')}</p>
    </section>
  );
}

interface VersionListProps {
  delivery: FormDelivery;
  /** The shown version, with the reason why it replaced an earlier version. */
  shown: number | undefined;
  correctionReason: string | null;
}

/** Groups versions by attempt, with the newest attempt and the newest version first. */
function byAttempt(forms: readonly FormVersion[]): [number, FormVersion[]][] {
  const attempts = new Map<number, FormVersion[]>();
  for (const form of forms.toSorted((one, other) => other.formVersion - one.formVersion)) {
    attempts.set(form.attempt, [...(attempts.get(form.attempt) ?? []), form]);
  }
  return [...attempts].toSorted(([one], [other]) => other - one);
}

function VersionList({ delivery, shown, correctionReason }: VersionListProps) {
  const { t } = useTranslation('delivery-forms');
  const timeZone = useTimeZone();
  const attempts = byAttempt(delivery.forms);
  return (
    <section aria-labelledby="form-versions" className="p-4">
      <h3 id="form-versions" className="mb-2 text-base font-semibold">
        {t('versions.title')}
      </h3>
      {attempts.map(([attempt, forms]) => (
        <div key={attempt} className="mb-3">
          <h4 id={`attempt-${attempt}`} className="caps mb-1 text-muted">
            {t('versions.attempt', { attempt })}
          </h4>
          <ul aria-labelledby={`attempt-${attempt}`} className="flex flex-col gap-2">
            {forms.map((form) => {
              const isShown = form.formVersion === shown;
              return (
                <li key={form.formVersion}>
                  <RecordLink
                    to={routes.viewForm({
                      deliveryId: delivery.id,
                      formVersion: form.formVersion,
                    })}
                    aria-current={isShown || undefined}
                    className={cn(
                      'flex flex-col gap-1 rounded-control border px-3 py-2 text-sm',
                      isShown
                        ? 'border-accent-line bg-accent-soft'
                        : 'border-line2 bg-surface hover:bg-raised',
                    )}
                  >
                    <span className="flex flex-wrap items-center justify-between gap-2 font-medium">
                      {t('version', { version: form.formVersion })}
                      {form.supersededBy !== null ? (
                        <Tag>{t('versions.superseded')}</Tag>
                      ) : (
                        isShown && <span className="text-accent">{t('versions.shown')}</span>
                      )}
                    </span>
                    <StatusChip kind="delivery" status={form.status} className="self-start" />
                    <span className="text-xs text-muted">
                      {t('versions.issued', {
                        at: formatDateTime(form.issuedAt, timeZone),
                        by: form.issuedBy,
                      })}
                    </span>
                    {isShown && correctionReason && (
                      <span className="text-xs wrap-anywhere">
                        {t('versions.corrected', { reason: correctionReason })}
                      </span>
                    )}
                  </RecordLink>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
      <p className="text-xs text-muted">{t('versions.hint')}</p>
    </section>
  );
}
