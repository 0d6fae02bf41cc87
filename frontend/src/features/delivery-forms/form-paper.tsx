import { type Ref, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { logoAddress } from '@/domain/logo-value';
import { cn } from '@/ui/cn';
import { LogoMark } from '@/ui/brand';
import { lazyPart } from '@/ui/lazy-part';
import { statusLook } from '@/ui/status-chip';
import type { Paper } from './paper';
import { PaperProof, PaperMark, PaperMarks, PaperNotices } from './paper-proof';
import './paper.css';
import type { Form, FormDescription, FormFact, FormTable } from './queries';

interface FormPaperProps {
  form: Pick<Form, 'deliveryId' | 'formVersion' | 'status' | 'verificationCode'>;
  description: FormDescription;
  paper: Paper;
  /** Whether an updated text is loading; printing waits for it. */
  isPending?: boolean;
  ref?: Ref<HTMLElement>;
}

/**
 * The delivery form as printed. All text comes from the server, as in the PDF. The form always has the paper theme,
 * whatever the theme of the app.
 */
export function FormPaper({ form, description, paper, isPending = false, ref }: FormPaperProps) {
  const { t } = useTranslation('delivery-forms');
  usePageMark(`${form.deliveryId} · ${form.verificationCode}`);
  return (
    <article
      ref={ref}
      aria-label={t('paperName', { id: form.deliveryId, version: form.formVersion })}
      aria-busy={isPending || undefined}
      data-theme="light"
      data-paper={paper}
      className="form-paper mx-auto flex flex-col bg-surface text-fg shadow-dialog print:block"
    >
      {isPending && <span data-loading />}
      <PaperHead form={form} description={description} />
      {description.notices.map((notice) => (
        <PaperNotices key={notice.lead} notices={[notice]} />
      ))}
      <PaperFacts sections={description.sections} />
      <PaperItems table={description.items} />
      <PaperNotices notices={description.notes} />
      <PaperProof description={description} />
      <PaperFoot description={description} />
    </article>
  );
}

/** Sets the text that paper.css prints at the bottom of each page. */
function usePageMark(text: string): void {
  useEffect(() => {
    // Margin boxes of pages inherit from the root element only.
    const { style } = document.documentElement;
    style.setProperty('--page-mark', JSON.stringify(text));
    return () => void style.removeProperty('--page-mark');
  }, [text]);
}

function Fact({ fact, rows }: { fact: FormFact; rows: number }) {
  return (
    <div
      className={cn('min-w-0', fact.wide && 'col-span-2')}
      // Next to a wide fact, the others fill the right half.
      style={fact.wide ? { gridRow: `span ${rows}` } : undefined}
    >
      <dt className="text-caps text-muted">{fact.label}</dt>
      <dd className="mt-0.5 text-sm wrap-anywhere">
        <bdi className={cn('whitespace-pre-line', fact.strong && 'font-semibold')}>{fact.value}</bdi>
        {fact.details.map((detail) => (
          <bdi key={detail} className="block whitespace-pre-line text-muted">
            {detail}
          </bdi>
        ))}
        <PaperMarks marks={fact.marks} />
      </dd>
    </div>
  );
}

/** The facts of a form in four columns. */
function PaperFacts({ sections }: Pick<FormDescription, 'sections'>) {
  return sections.map(({ title, facts }) => (
    <section key={title} aria-label={title} className="break-inside-avoid border-b border-line2 py-4">
      <dl className="grid grid-cols-4 gap-x-5 gap-y-4 @max-lg:grid-cols-2">
        {facts.map((fact) => (
          <Fact key={fact.label} fact={fact} rows={Math.ceil((facts.length - 1) / 2)} />
        ))}
      </dl>
    </section>
  ));
}

// If it can't be loaded, its place stays empty, and `usePrint` doesn't print.
const QrCode = lazyPart(
  () => import('@/ui/qr-code'),
  () => undefined,
);

/** How the reader of a printed form can verify it. */
function PaperFoot({ description }: { description: FormDescription }) {
  const { url, qrCode, checks } = description;
  return (
    <footer className="mt-auto flex break-inside-avoid items-center gap-4 border-t border-fg pt-3">
      <div data-qr className="size-24 shrink-0">
        <Suspense fallback={<span data-loading />}>
          <QrCode text={url} label={qrCode} />
        </Suspense>
      </div>
      <div className="min-w-0 text-xs leading-5">
        {checks.map(({ label, value, strong }) => (
          <p key={label} className="wrap-anywhere">
            {label} <bdi className={cn('tabular-nums', strong && 'font-semibold')}>{value}</bdi>
          </p>
        ))}
      </div>
    </footer>
  );
}

/** The customer's logo, or Waybill's mark with the organization's name if no logo can be shown. */
function Issuer({ description }: { description: FormDescription }) {
  const { logoUrl, organization, organizationLines } = description;
  const picture = logoAddress(logoUrl ?? '');
  const [missing, setMissing] = useState<string>();
  return (
    <div className="min-w-0">
      {picture && picture !== missing ? (
        <img
          src={picture}
          alt={organization}
          className="max-h-10.5 max-w-50 min-w-0 object-contain object-left"
          onError={() => setMissing(picture)}
        />
      ) : (
        <div className="flex min-w-0 items-center gap-2.5">
          <LogoMark size={32} className="shrink-0" />
          <bdi className="text-lg font-semibold wrap-anywhere">{organization}</bdi>
        </div>
      )}
      {organizationLines.map((line) => (
        <p key={line} className="mt-1 text-xs wrap-anywhere text-muted">
          <bdi>{line}</bdi>
        </p>
      ))}
    </div>
  );
}

/** The issuer, delivery and status of the form. */
function PaperHead({ form, description }: { form: Pick<Form, 'status'>; description: FormDescription }) {
  const { icon: Icon } = statusLook({ kind: 'delivery', status: form.status });
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4 border-b border-fg pb-5">
      <Issuer description={description} />
      <div className="ms-auto flex min-w-0 flex-col items-end gap-1 text-end @max-lg:ms-0 @max-lg:items-start @max-lg:text-start">
        <span className="text-xs text-muted">{description.title}</span>
        <bdi className="text-[28px] leading-9 font-semibold wrap-anywhere">{description.deliveryId}</bdi>
        <p className="flex flex-wrap justify-end gap-2 @max-lg:justify-start">
          <span className="inline-flex items-center gap-1.5 rounded-full border border-fg px-2.5 text-xs leading-5 font-semibold whitespace-nowrap">
            <Icon aria-hidden className="size-3.5 shrink-0" />
            {description.status}
          </span>
          {description.marks.map((mark) => (
            <PaperMark key={mark}>{mark}</PaperMark>
          ))}
        </p>
      </div>
    </header>
  );
}

const head = 'py-2 px-1.5 text-caps font-semibold';
const cell = 'py-1.5 px-1.5 align-top';

type Column = FormTable['columns'][number];
type Row = FormTable['rows'][number];

const looks: Record<Column['kind'], string> = {
  number: 'w-14 tabular-nums wrap-anywhere',
  // Without a minimum, the number columns would leave the description no room on a narrow screen.
  description: 'min-w-32 wrap-anywhere',
  unit: 'w-14 wrap-anywhere',
  quantity: 'text-end tabular-nums',
  reason: 'w-[22%] ps-3 wrap-anywhere',
};

function ItemRow({ row, columns, isTotal }: { row: Row; columns: readonly Column[]; isTotal: boolean }) {
  const line = cn('break-inside-avoid', row.strong && 'font-semibold');
  return (
    <>
      <tr className={cn(line, !isTotal && row.notes.length === 0 && 'border-b border-line2')}>
        {columns.map(({ kind, title }, at) => {
          const text = <bdi>{row.cells[at]}</bdi>;
          return kind === 'number' && !isTotal ? (
            <th key={title} scope="row" className={cn(cell, looks[kind], !row.strong && 'font-normal')}>
              {text}
            </th>
          ) : (
            <td key={title} className={cn(cell, looks[kind])}>
              {text}
            </td>
          );
        })}
      </tr>
      {row.notes.length > 0 && (
        <tr className="break-inside-avoid border-b border-line2">
          <td
            colSpan={columns.length}
            className={`${cell} pt-0 ps-15.5 text-caps font-normal wrap-anywhere text-muted`}
          >
            {row.notes.map((note) => (
              <p key={note}>
                <bdi>{note}</bdi>
              </p>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}

/** Expected and counted quantities, with a total per unit. */
function PaperItems({ table }: { table: FormTable }) {
  const { title, columns, rows, totals, empty } = table;
  if (rows.length === 0) return <p className="border-b border-line2 py-4 text-sm">{empty}</p>;
  return (
    // Scrolls on narrow screens, so it must be reachable by keyboard; in print nothing scrolls.
    <div
      role="region"
      aria-label={title}
      tabIndex={0}
      className="overflow-x-auto py-4 print:overflow-visible"
    >
      <table aria-label={title} className="w-full min-w-[560px] text-start text-xs print:min-w-0">
        <thead>
          <tr className="border-y border-fg">
            {columns.map(({ kind, title: name }) => (
              <th key={name} scope="col" className={cn(head, looks[kind])}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <ItemRow key={at} row={row} columns={columns} isTotal={false} />
          ))}
          {/* In the body: a table footer would repeat on every page. */}
          {totals.map((row, at) => (
            <ItemRow key={`total ${at}`} row={row} columns={columns} isTotal />
          ))}
        </tbody>
      </table>
    </div>
  );
}
