import { PenLine, TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useNameOf } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import { Panel, PanelHead } from '@/ui/panel';
import { Tag } from '@/ui/tag';
import type { Attempt } from './attempts';
import type { Delivery, DeliveryItem } from './delivery-queries';
import { formatSigned } from './lines';

interface DeliveryVariancesProps {
  attempt: Attempt;
  items: Delivery['items'];
}

/** Variances of an attempt, with their reasons. */
export function DeliveryVariances({ attempt, items }: DeliveryVariancesProps) {
  const { t } = useTranslation(['deliveries', 'common']);
  const nameOf = useNameOf();
  const id = useId();
  const { variances, note } = attempt;
  if (variances.length === 0 && !note) return null;
  const unitOf = (itemNumber: string | null) =>
    items.find((item) => item.itemNumber === itemNumber)?.unit ?? '';

  return (
    <Panel aria-labelledby={id} className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t(variances.length > 0 ? 'variances.title' : 'variances.outcome')}
        note={variances.length > 0 && t('variances.count', { count: variances.length })}
      />
      {variances.length > 0 && (
        <ul className="divide-y divide-line bg-warn-soft/60 text-sm">
          {variances.map((variance) => (
            <li
              key={variance.id}
              className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 px-4 py-2"
            >
              <span className="w-20 shrink-0 text-muted tabular-nums">
                {variance.itemNumber
                  ? t('variances.item', { item: variance.itemNumber })
                  : t('variances.document')}
              </span>
              <span className="inline-flex w-24 shrink-0 items-center gap-1.5 font-medium text-warn tabular-nums">
                <TriangleAlert aria-hidden className="size-3.5 self-center" />
                {formatSigned(variance.difference)} {unitOf(variance.itemNumber)}
              </span>
              <span className="min-w-0 font-medium wrap-anywhere">
                {variance.reason ?? t(`variances.kind.${variance.kind}`)}
              </span>
              <span dir="auto" className="min-w-0 flex-1 wrap-anywhere max-sm:basis-full">{variance.note}</span>
              <Tag tone="idle">
                {nameOf('deliveries:variances.reportedBy', variance.reportedBy)}
              </Tag>
            </li>
          ))}
        </ul>
      )}
      {note && (
        <p className="flex items-start gap-2 border-t border-line px-4 py-3 text-sm">
          <PenLine aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          <span className="min-w-0 wrap-anywhere whitespace-pre-line">
            <span className="font-medium">{t('variances.note')}</span> <bdi>{note}</bdi>
          </span>
        </p>
      )}
    </Panel>
  );
}

interface ItemVariancesProps {
  delivery: Pick<Delivery, 'variances'>;
  item: DeliveryItem;
  timeZone: string;
}

/** Variances of one item over all attempts. */
export function ItemVariances({ delivery, item, timeZone }: ItemVariancesProps) {
  const { t } = useTranslation('deliveries');
  const id = useId();
  const own = delivery.variances.filter(({ itemNumber }) => itemNumber === item.itemNumber);
  if (own.length === 0) return null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} line title={t('variances.title')} />
      <ul className="divide-y divide-line text-sm">
        {own.map((variance) => (
          <li key={variance.id} className="flex flex-wrap gap-x-4 gap-y-0.5 px-4 py-2">
            <span className="w-20 shrink-0 text-muted">
              {t('history.attempt', { attempt: variance.attempt })}
            </span>
            <span className="w-20 shrink-0 font-medium text-warn tabular-nums">
              {formatSigned(variance.difference)}
            </span>
            <span className="font-medium">
              {variance.reason ?? t(`variances.kind.${variance.kind}`)}
            </span>
            <span dir="auto" className="min-w-0 flex-1 wrap-anywhere">{variance.note}</span>
            <span className="text-muted tabular-nums">
              {formatDateTime(variance.occurredAt, timeZone)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
