import { Bell, RefreshCw, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import {
  AnnouncementCard,
  type MyAnnouncement,
  myAnnouncementsQuery,
  useMarkSeen,
} from '@/domain/announcements';
import { useAuth } from '@/auth/use-auth';
import { currentUserChangedSubscription, useChanges } from '@/data/use-changes';
import { useRecord } from '@/data/use-record';
import { routes } from '@/routing/routes';
import { Button, IconButton } from '@/ui/button';
import { Popover, PopoverClose, PopoverContent, PopoverTrigger } from '@/ui/popover';

const NO_VARIABLES = {};

/** The notification bell: current announcements, including those already dismissed from the banner. */
export default function AnnouncementsMenu({ startsOpen }: { startsOpen: boolean }) {
  const { t } = useTranslation('shell');
  const { hasRole } = useAuth();
  const { value, error, retry, refresh } = useRecord({
    document: myAnnouncementsQuery,
    variables: NO_VARIABLES,
    typenames: ['MyAnnouncement'],
    read: ({ myAnnouncements }) => myAnnouncements,
  });
  const mine = value ?? undefined;
  const unread = (mine ?? []).filter(({ seen }) => !seen).map(({ id }) => id);
  const [open, setOpen] = useState(startsOpen);
  /** Announcements that were unread when the menu opened, or arrived while it was open. */
  const [fresh, setFresh] = useState<readonly string[]>([]);
  const markSeen = useMarkSeen();
  useChanges(currentUserChangedSubscription, NO_VARIABLES, refresh);

  const shown = open ? unread.join() : '';
  useEffect(() => {
    if (!shown) return;
    const ids = shown.split(',');
    setFresh((known) => [...known, ...ids]);
    void markSeen(ids);
  }, [shown, markSeen]);

  function changeOpen(next: boolean) {
    setOpen(next);
    if (!next) return;
    setFresh([]);
    // Refetch, because no event reports a changed title.
    refresh();
  }

  const count = unread.length;
  const title = t('announcements.title');
  const label = count > 0 ? t('announcements.unread', { count }) : title;
  return (
    <Popover open={open} onOpenChange={changeOpen}>
      <span className="relative flex shrink-0">
        <PopoverTrigger asChild>
          <IconButton icon={Bell} label={label} />
        </PopoverTrigger>
        {count > 0 && (
          <span
            aria-hidden
            className="pointer-events-none absolute -top-1 -end-1 flex h-4 min-w-4 items-center justify-center rounded-full bg-accent px-1 text-caps font-semibold text-accent-fg tabular-nums"
          >
            {count}
          </span>
        )}
        <span aria-live="polite" className="sr-only">
          {count > 0 && label}
        </span>
      </span>
      <PopoverContent align="end" aria-label={title} className="w-96 p-0!">
        <div className="sticky top-0 flex items-center justify-between border-b border-line bg-surface py-1.5 pe-1.5 ps-4">
          <h2 dir="auto" className="text-sm font-semibold">{title}</h2>
          <PopoverClose asChild>
            <IconButton icon={X} size={28} label={t('announcements.close')} shortcut="Esc" />
          </PopoverClose>
        </div>
        <Mine mine={mine} failed={Boolean(error)} fresh={fresh} onRetry={retry} />
        {hasRole('admin') && (
          <div className="border-t border-line p-1.5">
            <PopoverClose asChild>
              <Button asChild variant="ghost" size={28} className="text-accent!">
                <Link to={routes.announcements()}>{t('announcements.manage')}</Link>
              </Button>
            </PopoverClose>
          </div>
        )}
      </PopoverContent>
    </Popover>
  );
}

interface MineProps {
  mine: readonly MyAnnouncement[] | undefined;
  failed: boolean;
  fresh: readonly string[];
  onRetry: () => void;
}

function Mine({ mine, failed, fresh, onRetry }: MineProps) {
  const { t } = useTranslation(['shell', 'common']);
  if (!mine && failed) {
    return (
      <div role="alert" className="flex items-center justify-between gap-3 px-4 py-3">
        <p className="text-sm text-bad">{t('announcements.failed')}</p>
        <Button size={28} icon={RefreshCw} onClick={onRetry}>
          {t('retry', { ns: 'common' })}
        </Button>
      </div>
    );
  }
  if (!mine || mine.length === 0) {
    return (
      <p className="px-4 py-6 text-center text-sm text-muted">
        {t(mine ? 'announcements.none' : 'common:loading')}
      </p>
    );
  }
  return (
    <ul className="divide-y divide-line">
      {mine.map((announcement) => (
        <li key={announcement.id} className="px-4 py-3">
          <AnnouncementCard
            announcement={announcement}
            isNew={fresh.includes(announcement.id)}
          />
        </li>
      ))}
    </ul>
  );
}
