import { ListChecks } from 'lucide-react';
import { createContext, memo, type ReactNode, use, useId, useMemo } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';
import { Table, type TableColumn } from '@/ui/table';
import type { DeliveryItem } from '../delivery-queries';
import { asExpected } from '../lines';
import type { Reasons } from '../use-reasons';
import { type LinesForm, useLineInputs } from './line-inputs';

interface LinesPanelProps {
  form: UseFormReturn<LinesForm>;
  items: readonly DeliveryItem[];
  reasons: Reasons;
}

/** An item with its inputs. */
type Line = ReturnType<typeof useLineInputs> & { item: DeliveryItem };

/** The vertical padding of inputs, and of text on the same line. */
const INPUT = 'py-1.5';
const TEXT = 'py-3';

/** Returns columns that stay the same between renders, so that typing into a line renders only that line. */
function useLineColumns() {
  const { t } = useTranslation(['deliveries', 'common']);
  return useMemo(
    (): TableColumn<Line>[] => [
      {
        id: 'number',
        header: t('items.number'),
        render: ({ item }) => item.itemNumber,
        names: true,
        className: 'ps-4',
        headClassName: 'w-14',
        cellClassName: `${TEXT} tabular-nums`,
      },
      {
        id: 'description',
        header: t('items.description'),
        render: ({ item }) => item.description ?? item.sku,
        cellClassName: `${TEXT} wrap-anywhere`,
      },
      {
        id: 'expected',
        header: t('items.expected'),
        render: ({ expected }) => expected,
        end: true,
        headClassName: 'w-18',
        cellClassName: `${TEXT} text-muted`,
      },
      {
        id: 'delivered',
        header: t('items.delivered'),
        render: ({ delivered }) => delivered,
        headClassName: 'w-24 text-end',
        cellClassName: INPUT,
      },
      {
        id: 'rejected',
        header: t('items.rejected'),
        render: ({ rejected }) => rejected,
        headClassName: 'w-24 text-end',
        cellClassName: INPUT,
      },
      {
        id: 'variance',
        header: t('items.variance'),
        render: ({ difference }) => difference,
        end: true,
        headClassName: 'w-18',
        cellClassName: TEXT,
      },
      {
        id: 'condition',
        header: t('items.condition'),
        render: ({ condition }) => condition,
        headClassName: 'w-32',
        cellClassName: INPUT,
      },
      {
        id: 'reason',
        header: t('items.reason'),
        render: ({ reason }) => reason || <span className="text-muted">{t('none', { ns: 'common' })}</span>,
        className: 'pe-4',
        headClassName: 'w-48',
        cellClassName: ({ reason }) => (reason ? INPUT : TEXT),
      },
    ],
    [t],
  );
}

const FormContext = createContext<Pick<LinesPanelProps, 'form' | 'reasons'> | null>(null);

interface LineInputsProps {
  row: DeliveryItem;
  index: number;
  children: (line: Line) => ReactNode;
}

function LineInputs({ row, ...props }: LineInputsProps) {
  const context = use(FormContext);
  return context && <KnownLineInputs {...context} {...props} item={row} />;
}

function KnownLineInputs({ children, ...props }: LineProps & Pick<LineInputsProps, 'children'>) {
  return children({ ...useLineInputs(props, true), item: props.item });
}

/** Counted quantities per line. */
export function LinesPanel({ form, items, reasons }: LinesPanelProps) {
  const { t } = useTranslation(['outcomes', 'deliveries']);
  const id = useId();
  const isNarrow = useNarrowScreen();
  const columns = useLineColumns();
  const context = useMemo(() => ({ form, reasons }), [form, reasons]);

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
          <FormContext value={context}>
            <Table
              look="inputs"
              className="min-w-[820px]"
              columns={columns}
              rows={items}
              rowKey={({ itemNumber }) => itemNumber}
              prepare={LineInputs}
              rowClassName={rowTint}
            />
          </FormContext>
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

const rowTint = ({ hasError, varies }: Line) => tint(hasError, varies);

/** Memoized so that typing renders only one line again, since a delivery can have a thousand. */
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
