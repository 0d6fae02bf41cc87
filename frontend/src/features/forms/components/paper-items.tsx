import { useTranslation } from 'react-i18next';
import { formatQuantity } from '@/lib/numbers';
import { cn } from '@/ui/cn';
import { type FormLine, formLines, formTotals } from '../lines';
import type { FormContent } from '../queries';

interface PaperItemsProps {
  content: FormContent;
  withNotes: boolean;
}

const head = 'py-2 px-1.5 text-caps font-semibold';
const cell = 'py-1.5 px-1.5 align-top';
const end = 'text-right tabular-nums';

/** '+2', '−3', '0' */
function signed(difference: number): string {
  if (difference === 0) return '0';
  return `${difference > 0 ? '+' : '−'}${formatQuantity(Math.abs(difference))}`;
}

function Reasons({ line, withNotes }: { line: FormLine; withNotes: boolean }) {
  const { t } = useTranslation(['forms', 'common']);
  const { item, reasons, notes } = line;
  const words = [
    item.condition !== 'ok' && t(`condition.${item.condition}`),
    ...reasons,
  ].filter(Boolean);
  if (words.length === 0 && notes.length === 0) {
    return <span className="text-muted">{t('none', { ns: 'common' })}</span>;
  }
  return (
    <>
      {words.join(', ')}
      {withNotes && notes.length > 0 && (
        <span className="block text-caps font-normal text-muted">{notes.join(' · ')}</span>
      )}
    </>
  );
}

/** The lines with what was expected and what was counted; those that differ in bold. */
export function PaperItems({ content, withNotes }: PaperItemsProps) {
  const { t } = useTranslation('forms');
  const lines = formLines(content);
  const totals = formTotals(lines);
  const hasRejected = content.items.some(({ quantityRejected }) => quantityRejected > 0);
  if (lines.length === 0) return <p className="border-b border-line2 py-4 text-sm">{t('items.none')}</p>;
  return (
    // On a narrow screen it scrolls, so keys must reach it; on paper there is nothing to scroll.
    <div
      role="region"
      aria-label={t('items.title')}
      tabIndex={0}
      className="overflow-x-auto py-4 print:overflow-visible"
    >
      <table className="w-full min-w-[560px] text-left text-xs print:min-w-0">
        <caption className="sr-only">{t('items.title')}</caption>
        <thead>
          <tr className="border-y border-fg">
            <th scope="col" className={`${head} w-14`}>
              {t('items.number')}
            </th>
            <th scope="col" className={head}>
              {t('items.description')}
            </th>
            <th scope="col" className={`${head} w-12`}>
              {t('items.unit')}
            </th>
            <th scope="col" className={`${head} ${end}`}>
              {t('items.expected')}
            </th>
            <th scope="col" className={`${head} ${end}`}>
              {t('items.delivered')}
            </th>
            {hasRejected && (
              <th scope="col" className={`${head} ${end}`}>
                {t('items.rejected')}
              </th>
            )}
            <th scope="col" className={`${head} ${end}`}>
              {t('items.variance')}
            </th>
            <th scope="col" className={`${head} w-[26%] pl-3`}>
              {t('items.reason')}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => {
            const { item, difference, hasVariance } = line;
            const bold = cn(hasVariance && 'font-semibold');
            return (
              <tr key={item.itemNumber} className="break-inside-avoid border-b border-line2">
                <th scope="row" className={`${cell} font-normal tabular-nums`}>
                  {item.itemNumber}
                </th>
                <td className={`${cell} wrap-anywhere`}>
                  {[item.description, item.sku].filter(Boolean).join(' · ')}
                </td>
                <td className={cell}>{item.unit}</td>
                <td className={`${cell} ${end}`}>{formatQuantity(item.quantity)}</td>
                <td className={`${cell} ${end} ${bold}`}>
                  {formatQuantity(item.quantityDelivered)}
                </td>
                {hasRejected && (
                  <td className={`${cell} ${end} ${bold}`}>
                    {formatQuantity(item.quantityRejected)}
                  </td>
                )}
                <td className={`${cell} ${end} ${bold}`}>{signed(difference)}</td>
                <td className={`${cell} ${bold} pl-3 wrap-anywhere`}>
                  <Reasons line={line} withNotes={withNotes} />
                </td>
              </tr>
            );
          })}
          {/* In the body: a foot would come again on every page. */}
          <tr className="break-inside-avoid font-semibold">
            <td colSpan={3} className={`${cell} pl-14`}>
              {t('items.total', { count: lines.length })}
            </td>
            <td className={`${cell} ${end}`}>{totals && formatQuantity(totals.expected)}</td>
            <td className={`${cell} ${end}`}>{totals && formatQuantity(totals.delivered)}</td>
            {hasRejected && (
              <td className={`${cell} ${end}`}>{totals && formatQuantity(totals.rejected)}</td>
            )}
            <td className={`${cell} ${end}`}>{totals && signed(totals.difference)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}
