import { CircleCheck, CircleHelp, type LucideIcon, UserCheck } from 'lucide-react';
import { useCallback, useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryState } from '@/data/query-state';
import { formatCount } from '@/lib/numbers';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { Table, type TableColumn } from '@/ui/table';
import { Tag, type Tone } from '@/ui/tag';
import type { ImportValue } from './queries';
import { keyOf, type MatchedValues, type ValueField } from './use-matched-values';
import { ValueChoice } from './value-choice';

const FIELDS: readonly ValueField[] = ['driver', 'customer', 'trucker'];
/** How many values of a field are shown at first. */
const SHOWN = 25;

type Badge = 'open' | 'own' | 'remembered';

const badges: Record<Badge, { icon: LucideIcon; tone: Tone }> = {
  open: { icon: CircleHelp, tone: 'warn' },
  own: { icon: UserCheck, tone: 'accent' },
  remembered: { icon: CircleCheck, tone: 'ok' },
};

function badgeOf({ choice, remembered }: ImportValue): Badge {
  if (choice === null) return 'open';
  return remembered ? 'remembered' : 'own';
}

/** The values of a checked file that match no driver, customer or trucker, and what is imported instead of each. */
export function MatchValues({ matched }: { matched: MatchedValues }) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const { values, error, retry } = matched;
  const decided = values?.filter(({ choice }) => choice !== null).length;
  return (
    <Panel aria-labelledby={id} className="overflow-x-clip">
      <PanelHead
        id={id}
        title={t('values.title')}
        note={values && t('values.progress', { decided, all: values.length })}
      />
      <p className="px-4 pb-3 text-sm text-muted">{t('values.text')}</p>
      <QueryState
        value={values}
        error={error}
        onRetry={retry}
        loading={<StateView kind="loading" title={t('common:loading')} />}
        empty={null}
      >
        {(found) =>
          FIELDS.map((field) => {
            const own = found.filter((value) => value.field === field);
            return own.length > 0 && <FieldValues key={field} field={field} values={own} matched={matched} />;
          })
        }
      </QueryState>
    </Panel>
  );
}

interface FieldValuesProps {
  field: ValueField;
  values: readonly ImportValue[];
  matched: MatchedValues;
}

/** The values of one field. */
function FieldValues({ field, values, matched }: FieldValuesProps) {
  const { t } = useTranslation('imports');
  const [isAll, setAll] = useState(false);
  const shown = isAll ? values : values.slice(0, SHOWN);
  const hidden = values.length - shown.length;
  const isRefused = field === 'driver' && matched.refuseUnknownDrivers;
  return (
    <div className="border-t border-line">
      <div className="px-4 pt-3 pb-2">
        <h3 className="text-sm font-semibold">{t(`values.${field}.title`)}</h3>
        <p className="text-xs text-muted">
          {isRefused ? t('values.driver.defaultRefused') : t(`values.${field}.default`)}
        </p>
      </div>
      <ValuesTable field={field} values={shown} matched={matched} />
      {hidden > 0 && (
        <div className="border-t border-line px-4 py-2">
          <Button onClick={() => setAll(true)}>
            {t('values.showMore', { count: hidden, shown: formatCount(hidden) })}
          </Button>
        </div>
      )}
    </div>
  );
}

function ValuesTable({ field, values, matched }: FieldValuesProps) {
  const { t } = useTranslation('imports');
  const narrow = useNarrowScreen();
  const { refuseUnknownDrivers, choose } = matched;
  const badge = useCallback(
    (value: ImportValue) => {
      const own = badgeOf(value);
      return (
        <Tag icon={badges[own].icon} tone={badges[own].tone}>
          {t(`values.badges.${own}`)}
        </Tag>
      );
    },
    [t],
  );
  const choice = useCallback(
    (value: ImportValue) => (
      <ValueChoice
        value={value}
        refusesUnknown={refuseUnknownDrivers}
        onChoose={(decision) => choose(value, decision)}
      />
    ),
    [refuseUnknownDrivers, choose],
  );
  const columns = useMemo(
    (): TableColumn<ImportValue>[] => [
      {
        id: 'value',
        header: t('values.value'),
        render: ({ value }) => <span dir="auto">{value}</span>,
        names: true,
        cellClassName: 'font-medium wrap-anywhere align-middle!',
      },
      {
        id: 'rows',
        header: t('values.rows'),
        render: ({ rows }) => formatCount(rows),
        end: true,
        headClassName: 'w-20',
        cellClassName: 'align-middle!',
      },
      { id: 'importAs', header: t('values.importAs'), render: choice, cellClassName: 'w-72 align-middle!' },
      { id: 'choice', header: t('values.choice'), render: badge, cellClassName: 'w-44 align-middle!' },
    ],
    [t, choice, badge],
  );

  if (narrow) {
    return (
      <ul aria-label={t(`values.${field}.title`)} className="divide-y divide-line border-t border-line">
        {values.map((value) => (
          <li key={keyOf(value)} className="px-4 py-3">
            <div className="flex items-start justify-between gap-3">
              <p dir="auto" className="min-w-0 text-sm font-medium wrap-anywhere">
                {value.value}
              </p>
              {badge(value)}
            </div>
            <p className="text-xs text-muted">
              {t('recent.rows', { count: value.rows, shown: formatCount(value.rows) })}
            </p>
            <div className="mt-2">{choice(value)}</div>
          </li>
        ))}
      </ul>
    );
  }
  return <Table look="texts" caption={t(`values.${field}.title`)} columns={columns} rows={values} rowKey={keyOf} />;
}
