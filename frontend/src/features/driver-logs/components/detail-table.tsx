import { useTranslation } from 'react-i18next';
import { detailRows } from '../detail-rows';
import { DetailValue } from './detail-value';

const cell = 'px-3 py-2 align-top wrap-anywhere';

/** What the device told beside the rest: names and values, whatever they are. */
export function DetailTable({ detail }: { detail: unknown }) {
  const { t } = useTranslation('driver-logs');
  const rows = detailRows(detail);
  if (rows.length === 0) return <p className="text-sm text-muted">{t('detail.none')}</p>;
  return (
    <div className="overflow-hidden rounded-control border border-line">
      <table className="w-full table-fixed text-left text-sm">
        <caption className="sr-only">{t('detail.title')}</caption>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name} className="border-t border-line first:border-t-0">
              <th scope="row" className={`${cell} w-[34%] bg-raised font-normal text-muted`}>
                {t(`detail.names.${name}`, { defaultValue: name })}
              </th>
              <td className={cell}>
                <DetailValue {...{ name, value }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
