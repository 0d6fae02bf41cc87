import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Panel, PanelHead } from '@/ui/panel';
import { Table } from '@/ui/table';
import type { UploadLog } from './queries';
import { keyOf, useMatchedValues } from './use-matched-values';

/** The values of an imported file that were imported as existing records. */
export function ImportedValues({ log }: { log: UploadLog }) {
  const { t } = useTranslation('imports');
  const id = useId();
  const used = useMatchedValues(log, true).values?.filter(({ choice }) => choice === 'use');
  if (!used || used.length === 0) return null;
  return (
    <Panel className="overflow-hidden">
      <PanelHead id={id} title={t('values.matched.title')} />
      <p className="px-4 pb-2 text-sm text-muted">{t('values.matched.text')}</p>
      <div
        role="region"
        aria-labelledby={id}
        tabIndex={0}
        className="overflow-x-auto border-t border-line focus-visible:-outline-offset-2"
      >
        <Table
          look="texts"
          columns={[
            {
              id: 'value',
              header: t('values.value'),
              render: ({ value }) => <span dir="auto">{value}</span>,
              cellClassName: 'wrap-anywhere',
            },
            {
              id: 'target',
              header: t('values.matched.importedAs'),
              render: ({ target }) => <span dir="auto">{target?.label}</span>,
              cellClassName: 'font-medium wrap-anywhere',
            },
            {
              id: 'rows',
              header: t('values.rows'),
              render: ({ rows }) => formatCount(rows),
              end: true,
              headClassName: 'w-20',
            },
          ]}
          rows={used}
          rowKey={keyOf}
        />
      </div>
    </Panel>
  );
}
