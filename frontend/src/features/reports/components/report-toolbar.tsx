import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { GRANULARITIES } from '@/analytics/query';
import { FilterChip } from '@/list/filter-chip';
import { FilterMenu } from '@/list/filter-menu';
import { replaceFilter } from '@/list/filter-text';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Panel } from '@/ui/panel';
import { Select } from '@/ui/select';
import { DEFAULT_FILTERS } from '../fields';
import { NONE } from '../definition';
import type { Report } from '../use-report';

/** Stands for several dimensions of a saved report, which are one choice here. */
const SAVED = 'saved';
/** Of less than an hour a report of days has too many. */
const OFFERED = GRANULARITIES.filter((granularity) => granularity !== 'second' && granularity !== 'minute');

export function ReportToolbar({ report: page }: { report: Report }) {
  const { fields, filters, timeZone, setFilters, report, members, measure, change } = page;
  const { t } = useTranslation(['reports', 'list', 'report-settings']);
  const button = useRef<HTMLButtonElement>(null);
  const [menuOpen, setMenuOpen] = useState(false);
  const isDefault = filters.length === 1 && filters[0] === DEFAULT_FILTERS[0];
  const [first, ...more] = report.dimensions;
  const split = more.length > 0 ? SAVED : (first ?? NONE);
  const dimensions = members.filter(({ kind }) => kind === 'dimension');
  const measures = members.filter(({ kind }) => kind === 'measure');

  return (
    <Panel aria-label={t('toolbar')} className="flex flex-wrap items-end gap-x-4 gap-y-3 px-3 py-3 print:border-0 print:px-0">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
        <span className="print:hidden">
          <FilterMenu
            {...{ fields, filters, timeZone, button }}
            open={menuOpen}
            onOpenChange={setMenuOpen}
            onChange={setFilters}
          />
        </span>
        <ul aria-label={t('list:activeFilters')} className="contents">
          {filters.map((filter, index) => {
            const field = fields.find(({ key }) => key === filter.key);
            return (
              field && (
                <FilterChip
                  key={`${filter.key} ${filter.operator} ${index}`}
                  {...{ filter, field, timeZone }}
                  onChange={(next) => setFilters(replaceFilter(filters, index, next))}
                  onRemove={() => {
                    setFilters(filters.filter((_, at) => at !== index));
                    // The chip goes and would take the focus with it.
                    button.current?.focus();
                  }}
                />
              )
            );
          })}
        </ul>
        {!isDefault && (
          <Button
            variant="quiet"
            className="print:hidden"
            onClick={() => {
              setFilters([...DEFAULT_FILTERS]);
              button.current?.focus();
            }}
          >
            {t('list:clear')}
          </Button>
        )}
      </div>
      <div className="flex flex-wrap items-end gap-2 print:hidden">
        <Field label={t('measure')} className="w-40">
          <Select size={32} value={measure} onChange={({ target }) => change('measure', target.value)}>
            {measures.map(({ member, title }) => (
              <option key={member} value={member}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('by')} className="w-28">
          <Select
            size={32}
            value={report.granularity ?? NONE}
            onChange={({ target }) => change('by', target.value)}
          >
            <option value={NONE}>{t('wholeRange')}</option>
            {OFFERED.map((granularity) => (
              <option key={granularity} value={granularity}>
                {t(`report-settings:granularities.${granularity}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Field label={t('split')} className="w-40">
          <Select
            size={32}
            value={split}
            onChange={({ target }) => change('split', target.value === SAVED ? null : target.value)}
          >
            <option value={NONE}>{t('noSplit')}</option>
            {split === SAVED && <option value={SAVED}>{t('asSaved')}</option>}
            {dimensions.map(({ member, title }) => (
              <option key={member} value={member}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
      </div>
    </Panel>
  );
}
