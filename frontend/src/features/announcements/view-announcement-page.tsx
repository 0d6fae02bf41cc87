import { Megaphone, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AnnouncementCard, NEWS_HOLD, NewsStrip, SeverityLabel } from '@/domain/announcements';
import { ByAt } from '@/domain/by-at';
import { formatCount } from '@/lib/numbers';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { useWhileHere } from '@/routing/use-while-here';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import {
  AnnouncementHeader,
  AnnouncementPageState,
  Audience,
  DeleteAnnouncementDialog,
  useAnnouncement,
} from './announcement';
import type { Announcement } from './queries';

export default function ViewAnnouncementPage() {
  const { t } = useTranslation('announcements');
  const { id } = useRouteParams('viewAnnouncement');
  const navigate = useRecordNavigate();
  const whileHere = useWhileHere();
  const result = useAnnouncement(id);
  return (
    <PageFrame>
      <AnnouncementPageState result={result}>
        {(announcement) => (
          <>
            <AnnouncementHeader announcement={announcement} title={announcement.title}>
              <div className="ms-auto flex gap-2 max-md:ms-0">
                <Button asChild icon={Pencil}>
                  <RecordLink to={routes.editAnnouncement({ id })}>{t('edit.verb')}</RecordLink>
                </Button>
                <DeleteButton
                  announcement={announcement}
                  onDeleted={() => void whileHere(() => navigate(routes.announcements()))}
                />
              </div>
            </AnnouncementHeader>
            <div className="flex flex-col gap-4">
              <AnnouncementFacts announcement={announcement} />
              <AnnouncementPreview key={announcement.version} announcement={announcement} />
            </div>
          </>
        )}
      </AnnouncementPageState>
    </PageFrame>
  );
}

interface DeleteButtonProps {
  announcement: Announcement;
  onDeleted: () => void;
}

/** Deletes an announcement after a question. */
function DeleteButton({ announcement, onDeleted }: DeleteButtonProps) {
  const { t } = useTranslation('announcements');
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="danger" icon={Trash2} onClick={() => setAsking(true)}>
        {t('delete.verb')}
      </Button>
      {isAsking && (
        <DeleteAnnouncementDialog
          announcement={announcement}
          onDeleted={onDeleted}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function AnnouncementFacts({ announcement }: { announcement: Announcement }) {
  const { t } = useTranslation('announcements');
  const { severity, startsAt, endsAt, seenCount, dismissible } = announcement;
  const { createdAt, createdBy, updatedAt, updatedBy } = announcement;
  const time = (at: string) => <DateTime instant={at} className="whitespace-nowrap" />;
  return (
    <Panel aria-label={t('view.facts')} className="p-4">
      <Facts columns={4}>
        <Fact label={t('fields.severity')} value={<SeverityLabel severity={severity} />} />
        <Fact label={t('fields.audience')} value={<Audience announcement={announcement} />} />
        <Fact label={t('fields.startsAt')} value={time(startsAt)} />
        <Fact label={t('fields.endsAt')} value={endsAt && time(endsAt)} empty={t('noEnd')} />
        <Fact
          label={t('fields.seenCount')}
          value={t('view.seen', { count: seenCount, shown: formatCount(seenCount) })}
        />
        <Fact
          label={t('fields.dismissible')}
          value={t(dismissible ? 'view.dismissible' : 'view.notDismissible')}
        />
        <Fact label={t('fields.createdAt')} value={<ByAt by={createdBy} at={createdAt} />} />
        <Fact label={t('fields.updatedAt')} value={<ByAt by={updatedBy} at={updatedAt} />} />
      </Facts>
    </Panel>
  );
}

/** Previews the banner and the entry in the notification menu. */
function AnnouncementPreview({ announcement }: { announcement: Announcement }) {
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
              'flex min-h-9 items-center gap-3 rounded-control bg-inverse px-4 text-sm text-inverse-fg motion-reduce:py-1',
            )}
          >
            <Megaphone aria-hidden className="size-4 shrink-0" />
            <span className="shrink-0 font-medium max-md:sr-only">
              {t('news.label', { ns: 'shell' })}
            </span>
            <NewsStrip key={run} messages={[announcement.message]} onEnd={() => setOver(true)} />
          </div>
        )}
        <div className="max-w-96 rounded-panel border border-line px-4 py-3">
          <AnnouncementCard announcement={announcement} />
        </div>
      </div>
    </Panel>
  );
}
