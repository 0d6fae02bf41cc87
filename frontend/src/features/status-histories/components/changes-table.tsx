import { useTranslation } from 'react-i18next';
import type { FieldChange } from '../queries';
import { ChangeValue } from './change-value';

const head = 'h-8 px-3 text-xs font-medium text-muted';
const cell = 'px-3 py-2 align-top wrap-anywhere';

/** What a step changed, as it was beside as it is. */
export function ChangesTable({ changes }: { changes: readonly FieldChange[] }) {
  const { t } = useTranslation(['status-histories', 'deliveries']);
  if (changes.length === 0) return <p className="text-sm text-muted">{t('changes.none')}</p>;
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <table className="w-full table-fixed text-left text-sm">
        <caption className="sr-only">{t('changes.title')}</caption>
        <thead className="bg-raised">
          <tr>
            <th scope="col" className={`${head} w-[34%]`}>
              {t('changes.field')}
            </th>
            <th scope="col" className={head}>
              {t('changes.before')}
            </th>
            <th scope="col" className={head}>
              {t('changes.after')}
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ itemNumber, field, before, after }) => {
            const label = t([`changes.fields.${field}`, `deliveries:fields.${field}`], {
              defaultValue: field,
            });
            return (
              <tr key={`${itemNumber} ${field}`} className="border-t border-line">
                <th scope="row" className={`${cell} font-normal text-muted`}>
                  {itemNumber === null
                    ? label
                    : t('changes.ofItem', { item: itemNumber, field: label })}
                </th>
                <td className={cell}>
                  <ChangeValue field={field} value={before} />
                </td>
                <td className={`${cell} font-medium`}>
                  <ChangeValue field={field} value={after} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
