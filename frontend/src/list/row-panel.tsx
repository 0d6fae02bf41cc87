import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ComponentProps, type ComponentType, type RefObject, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '@/ui/button';
import type { SidePanel } from '@/ui/side-panel';
import { ROW_LINK, useListKeys } from './list-shortcuts';
import type { RowOpening } from './resource';

/** Props of the details of a row, all but the row for their `SidePanel`. */
export interface RowPanelProps<Row> extends Pick<ComponentProps<typeof SidePanel>, 'tools' | 'onClose'> {
  row: Row;
}

interface RowPanelOptions<Row> {
  rowId: (row: Row) => string;
  rows: readonly Row[];
  region: RefObject<HTMLElement | null>;
  /** Whether single-key shortcuts are on. */
  shortcuts: boolean;
  Panel: ComponentType<RowPanelProps<Row>> | undefined;
}

/** Shows details of one row beside the list, and steps through the rows of the page. */
export function useRowPanel<Row extends object>(options: RowPanelOptions<Row>) {
  const { rowId, rows, region, shortcuts, Panel } = options;
  const [opened, setOpened] = useState<Row>();
  const openId = opened && rowId(opened);
  const hasPanel = Panel !== undefined;
  const opening = useMemo(
    (): RowOpening<Row> | undefined => (hasPanel ? { open: setOpened, openId } : undefined),
    [hasPanel, openId],
  );
  // If the row is no longer on the page, the next one is the first of the page.
  const at = rows.findIndex((row) => rowId(row) === openId);
  const stepTo = (row: Row | undefined) => row && (() => setOpened(row));

  function close() {
    // The row that was opened first may not be the one that is open now.
    if (document.activeElement?.closest('[role="dialog"]')) {
      region.current?.querySelector<HTMLElement>(`[${ROW_LINK}][aria-current]`)?.focus();
    }
    setOpened(undefined);
  }

  return {
    opening,
    panel: opened && Panel && (
      <Panel
        row={opened}
        tools={<RowSteps previous={stepTo(rows[at - 1])} next={stepTo(rows[at + 1])} shortcuts={shortcuts} />}
        onClose={close}
      />
    ),
  };
}

interface RowStepsProps {
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
  shortcuts: boolean;
}

function RowSteps({ previous, next, shortcuts }: RowStepsProps) {
  const { t } = useTranslation('list');
  useListKeys(shortcuts ? { j: next, k: previous } : {}, { inPanel: true });
  return (
    <>
      <IconButton
        icon={ChevronUp}
        label={t('help.previous')}
        shortcut={shortcuts ? 'k' : undefined}
        disabled={!previous}
        onClick={previous}
      />
      <IconButton
        icon={ChevronDown}
        label={t('help.next')}
        shortcut={shortcuts ? 'j' : undefined}
        disabled={!next}
        onClick={next}
      />
    </>
  );
}
