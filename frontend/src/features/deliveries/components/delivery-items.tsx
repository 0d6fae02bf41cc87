import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatQuantity } from '@/lib/numbers';
import { Panel, PanelHead } from '@/ui/panel';
import type { Delivery } from '../queries';

type Item = Delivery['items'][number];

const head = 'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2';

export function DeliveryItems({ items }: { items: readonly Item[] }) {
  const { t } = useTranslation(['deliveries', 'common']);
  const id = useId();
  const hasWeight = items.some(({ weightKg }) => weightKg !== null);
  const none = <span className="text-muted">{t('common:none')}</span>;

  return (
    <Panel className="overflow-hidden">
      <PanelHead id={id} line title={t('items.title')} note={t('lines', { count: items.length })} />
      {items.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-muted">{t('items.none')}</p>
      ) : (
        <div
          role="region"
          aria-labelledby={id}
          tabIndex={0}
          className="overflow-x-auto focus-visible:-outline-offset-2"
        >
          <table className="w-full min-w-[480px] text-left text-sm">
            <thead className="bg-raised">
              <tr>
                <th scope="col" className={`${head} w-20 pl-4`}>
                  {t('items.number')}
                </th>
                <th scope="col" className={head}>
                  {t('items.description')}
                </th>
                <th scope="col" className={`${head} w-20`}>
                  {t('items.unit')}
                </th>
                {hasWeight && (
                  <th scope="col" className={`${head} w-28 text-right`}>
                    {t('items.weight')}
                  </th>
                )}
                <th scope="col" className={`${head} w-28 pr-4 text-right`}>
                  {t('items.quantity')}
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <tr key={item.itemNumber} className="border-t border-line">
                  <th scope="row" className={`${cell} pl-4 font-normal tabular-nums`}>
                    {item.itemNumber}
                  </th>
                  <td className={`${cell} wrap-anywhere`}>
                    {item.description ?? (item.sku ? '' : none)}
                    {item.sku && (
                      <span className={item.description ? 'ml-1.5 text-muted' : ''}>{item.sku}</span>
                    )}
                    {item.barcode && (
                      <span className="block text-xs text-muted tabular-nums">{item.barcode}</span>
                    )}
                  </td>
                  <td className={`${cell} text-muted`}>{item.unit ?? none}</td>
                  {hasWeight && (
                    <td className={`${cell} text-right text-muted tabular-nums`}>
                      {item.weightKg === null ? '–' : formatQuantity(item.weightKg)}
                    </td>
                  )}
                  <td className={`${cell} pr-4 text-right tabular-nums`}>
                    {formatQuantity(item.quantity)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
