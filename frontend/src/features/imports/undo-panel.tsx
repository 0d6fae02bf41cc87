import { Undo2 } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { Panel, PanelHead } from '@/ui/panel';
import type { UploadLog } from './queries';
import { UndoDialog } from './undo-dialog';

interface UndoPanelProps {
  log: UploadLog;
  onStarted: () => void;
}

/** Offers to undo an import. Rendered only if the user may undo it. */
export function UndoPanel({ log, onStarted }: UndoPanelProps) {
  const { t } = useTranslation('imports');
  const timeZone = useTimeZone();
  const id = useId();
  const [open, setOpen] = useState(false);
  const again = log.undoReport !== null;
  return (
    <Panel aria-labelledby={id}>
      <PanelHead id={id} title={t('undo.title')} />
      <div className="flex flex-col gap-3 px-4 pt-0.5 pb-4 text-sm">
        <p className="text-muted">{t('undo.text')}</p>
        {log.undoableUntil && (
          <p>{t('undo.until', { until: formatDateTime(log.undoableUntil, timeZone) })}</p>
        )}
        <Button variant="danger" icon={Undo2} onClick={() => setOpen(true)}>
          {t(again ? 'undo.continue' : 'undo.action')}
        </Button>
      </div>
      {open && <UndoDialog log={log} onStarted={onStarted} onClose={() => setOpen(false)} />}
    </Panel>
  );
}
