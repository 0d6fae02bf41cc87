import { ListChecks } from 'lucide-react';
import { memo, useId } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';
import type { DeliveryItem } from '../delivery-queries';
import { asExpected } from '../lines';
import type { Reasons } from '../use-reasons';
import { type LinesForm, useLineInputs } from './line-inputs';

interface LinesPanelProps {
  form: UseFormReturn<LinesForm>;
  items: readonly DeliveryItem[];
  reasons: Reasons;
}

const head = 'h-9 px-2 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-2 py-1.5 align-top';
const fixed = 'px-2 py-3 align-top';

/** What was counted, line by line. */
export function LinesPanel({ form, items, reasons }: LinesPanelProps) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const id = useId();
  const isNarrow = useNarrowScreen();

  function setAll() {
    for (const [index, item] of items.entries()) {
      const [typed, expected] = [form.getValues(`lines.${index}`), asExpected(item)];
      if (JSON.stringify(typed) === JSON.stringify(expected)) continue;
      form.setValue(`lines.${index}`, expected, { shouldDirty: true });
    }
    form.clearErrors('lines');
  }

  return (
    <Panel className="overflow-hidden">
      <PanelHead
        id={id}
        line
        title={t('deliveries:items.title')}
        note={t('deliveries:lines', { count: items.length })}
        tools={
          <Button icon={ListChecks} onClick={setAll}>
            {t('lines.setAll')}
          </Button>
        }
      />
      {isNarrow ? (
        <ul className="divide-y divide-line">
          {items.map((item, index) => (
            <LineCard key={item.itemNumber} {...{ form, index, item, reasons }} />
          ))}
        </ul>
      ) : (
        <div role="region" aria-labelledby={id} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
          <table className="w-full min-w-[820px] table-fixed text-start text-sm">
            <thead className="bg-raised">
              <tr>
                <th scope="col" className={`${head} w-14 ps-4`}>
                  {t('deliveries:items.number')}
                </th>
                <th scope="col" className={head}>
                  {t('deliveries:items.description')}
                </th>
                <th scope="col" className={`${head} w-18 text-end`}>
                  {t('deliveries:items.expected')}
                </th>
                <th scope="col" className={`${head} w-24 text-end`}>
                  {t('deliveries:items.delivered')}
                </th>
                <th scope="col" className={`${head} w-24 text-end`}>
                  {t('deliveries:items.rejected')}
                </th>
                <th scope="col" className={`${head} w-18 text-end`}>
                  {t('deliveries:items.variance')}
                </th>
                <th scope="col" className={`${head} w-32`}>
                  {t('deliveries:items.condition')}
                </th>
                <th scope="col" className={`${head} w-48 pe-4`}>
                  {t('deliveries:items.reason')}
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item, index) => (
                <LineRow key={item.itemNumber} {...{ form, index, item, reasons }} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

interface LineProps {
  form: UseFormReturn<LinesForm>;
  index: number;
  item: DeliveryItem;
  reasons: Reasons;
}

const tint = (hasError: boolean, varies: boolean) =>
  hasError ? 'bg-bad-soft/50' : varies && 'bg-warn-soft/60';

/** Drawn anew only for what is typed into it: a delivery may have a thousand lines. */
const LineRow = memo(function LineRow(props: LineProps) {
  const { t } = useTranslation('common');
  const { item } = props;
  const line = useLineInputs(props, true);
  return (
    <tr className={cn('border-t border-line', tint(line.hasError, line.varies))}>
      <th scope="row" className={`${fixed} ps-4 font-normal tabular-nums`}>
        {item.itemNumber}
      </th>
      <td className={`${fixed} wrap-anywhere`}>{item.description ?? item.sku}</td>
      <td className={`${fixed} text-end text-muted tabular-nums`}>{line.expected}</td>
      <td className={cell}>{line.delivered}</td>
      <td className={cell}>{line.rejected}</td>
      <td className={`${fixed} text-end tabular-nums`}>{line.difference}</td>
      <td className={cell}>{line.condition}</td>
      <td className={`${line.reason ? cell : fixed} pe-4`}>
        {line.reason || <span className="text-muted">{t('none')}</span>}
      </td>
    </tr>
  );
});

const LineCard = memo(function LineCard(props: LineProps) {
  const { t } = useTranslation('outcomes');
  const { item } = props;
  const line = useLineInputs(props, false);
  return (
    <li className={cn('px-4 py-3', tint(line.hasError, line.varies))}>
      <fieldset className="flex min-w-0 flex-col gap-3">
        <legend className="float-left mb-2 flex w-full items-baseline justify-between gap-3 text-sm">
          <span className="min-w-0 wrap-anywhere">
            <span className="font-medium tabular-nums">{item.itemNumber}</span>{' '}
            {item.description ?? item.sku}
          </span>
          <span className="shrink-0 tabular-nums">{line.difference}</span>
        </legend>
        <p className="clear-both text-xs text-muted">
          {t('lines.expected', { quantity: line.expected, unit: item.unit ?? '' })}
        </p>
        <div className="grid grid-cols-2 gap-3">
          {line.delivered}
          {line.rejected}
        </div>
        {line.condition}
        {line.reason}
      </fieldset>
    </li>
  );
});
