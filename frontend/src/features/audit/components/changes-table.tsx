import { useTranslation } from 'react-i18next';
import { isReading } from '../actions';
import { changesOf } from '../changes';
import type { AuditEntry } from '../queries';
import { ChangeValue } from './change-value';

const head = 'h-8 px-3 text-xs font-medium text-muted';
const cell = 'px-3 py-2 align-top wrap-anywhere';

/** What changed, as it was beside as it is; of an act that only read, what was asked for. */
export function ChangesTable({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation('audit');
  const changes = changesOf(entry.before, entry.after);
  const reading = isReading(entry.action);
  if (changes.length === 0) return <p className="text-sm text-muted">{t('changes.none')}</p>;
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <table className="w-full table-fixed text-left text-sm">
        <caption className="sr-only">
          {t(reading ? 'changes.asked' : 'changes.title')}
        </caption>
        <thead className="bg-raised">
          <tr>
            <th scope="col" className={`${head} w-[30%]`}>
              {t('changes.field')}
            </th>
            {!reading && (
              <th scope="col" className={head}>
                {t('changes.before')}
              </th>
            )}
            <th scope="col" className={head}>
              {t(reading ? 'changes.value' : 'changes.after')}
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ field, before, after }) => (
            <tr key={field} className="border-t border-line">
              <th scope="row" className={`${cell} font-normal text-muted`}>
                {t(`changes.fields.${field}`, { defaultValue: field })}
              </th>
              {!reading && (
                <td className={cell}>
                  <ChangeValue value={before} />
                </td>
              )}
              <td className={`${cell} font-medium`}>
                <ChangeValue value={after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
