import { Megaphone, Play } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AnnouncementCard } from '@/announcements/announcement-card';
import { NEWS_HOLD, NewsStrip } from '@/announcements/news-strip';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Panel, PanelHead } from '@/ui/panel';
import type { Announcement } from '../queries';

/** The banner and the entry below the bell, as those it concerns see them. */
export function AnnouncementPreview({ announcement }: { announcement: Announcement }) {
  const { t } = useTranslation(['announcements', 'shell']);
  const [run, setRun] = useState(0);
  const [isOver, setOver] = useState(false);

  function again() {
    setRun(run + 1);
    setOver(false);
  }

  return (
    <Panel aria-labelledby="preview">
      <PanelHead id="preview" title={t('view.preview')} note={t('view.previewNote')} />
      <div className="flex flex-col gap-4 px-4 pb-4">
        {isOver ? (
          <div className="flex min-h-9 items-center gap-3 rounded-control border border-line px-4 text-sm text-muted">
            {t('view.over')}
            <Button size={28} icon={Play} onClick={again}>
              {t('view.again')}
            </Button>
          </div>
        ) : (
          <div
            className={cn(
              NEWS_HOLD,
              'flex min-h-9 items-center gap-3 rounded-control bg-inverse px-4 text-sm text-inverse-fg',
            )}
          >
            <Megaphone aria-hidden className="size-4 shrink-0" />
            <span className="shrink-0 font-medium max-md:sr-only">
              {t('news.label', { ns: 'shell' })}
            </span>
            <NewsStrip key={run} text={announcement.message} onEnd={() => setOver(true)} />
          </div>
        )}
        <div className="max-w-96 rounded-panel border border-line px-4 py-3">
          <AnnouncementCard announcement={announcement} />
        </div>
      </div>
    </Panel>
  );
}
