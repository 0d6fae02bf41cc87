import { RefreshCw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import type { Conflict } from './use-conflict';

interface ConflictNoteProps {
  conflict: Conflict;
  /** Reads the record anew and starts over from it. */
  onReload: () => void;
}

/** Somebody else was faster: who, and what to do about it. */
export function ConflictNote({ conflict, onReload }: ConflictNoteProps) {
  const { t } = useTranslation('form');
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    box.current?.focus();
  }, [conflict]);

  return (
    <Note
      ref={box}
      tone="warn"
      role="alert"
      title={t('conflict.title', { by: conflict.by, at: formatDateTime(conflict.at, timeZone) })}
    >
      <p>{t('conflict.text')}</p>
      <Button size={28} icon={RefreshCw} className="mt-2" onClick={onReload}>
        {t('conflict.reload')}
      </Button>
    </Note>
  );
}
