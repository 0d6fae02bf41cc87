import { Megaphone, Pause, Play, X } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { cn } from '@/ui/cn';

const SPEED_PX_PER_S = 100;

const buttonClasses =
  'hit-target flex size-7 shrink-0 items-center justify-center rounded-control text-inverse-fg hover:bg-fg/20 focus-visible:outline-inverse-fg';

/** Scrolls the user's news three times at 100 pixels a second, then goes; stands under reduced motion. */
export function NewsBanner() {
  const { t } = useTranslation('shell');
  const { currentUser } = useAuth();
  const text = (currentUser?.news ?? []).join(', ');
  const [closedText, setClosedText] = useState('');
  const [paused, setPaused] = useState(false);
  const [width, setWidth] = useState(0);
  const measure = useCallback((copy: HTMLElement | null) => {
    if (copy) setWidth(copy.offsetWidth);
  }, []);
  if (!text || closedText === text) return null;

  const seconds = width / SPEED_PX_PER_S;
  const copyClasses = cn(
    'min-w-full shrink-0 pr-24 whitespace-nowrap motion-reduce:min-w-0 motion-reduce:animate-none motion-reduce:pr-0',
    seconds > 0 && 'animate-news group-focus-within:[animation-play-state:paused] group-hover:[animation-play-state:paused]',
    paused && '[animation-play-state:paused]',
  );
  return (
    <section
      data-news-banner
      aria-label={t('news.label')}
      className="fixed inset-x-0 top-0 z-30 flex h-9 items-center gap-3 bg-inverse pr-2 pl-4 text-sm text-inverse-fg print:hidden"
    >
      <Megaphone aria-hidden className="size-4 shrink-0" />
      <span className="shrink-0 font-medium max-md:sr-only">{t('news.label')}</span>
      <div
        className="group flex min-w-0 flex-1 overflow-hidden motion-reduce:overflow-x-auto"
        style={{ '--news-loop': `${seconds}s` }}
      >
        <p
          key={text}
          ref={measure}
          className={copyClasses}
          onAnimationEnd={() => setClosedText(text)}
        >
          {text}
        </p>
        <p aria-hidden className={cn(copyClasses, 'motion-reduce:hidden')}>
          {text}
        </p>
      </div>
      <button
        type="button"
        aria-label={t(paused ? 'news.play' : 'news.pause')}
        onClick={() => setPaused(!paused)}
        className={cn(buttonClasses, 'motion-reduce:hidden')}
      >
        {paused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
      </button>
      <button
        type="button"
        aria-label={t('news.close')}
        onClick={() => setClosedText(text)}
        className={buttonClasses}
      >
        <X aria-hidden className="size-4" />
      </button>
    </section>
  );
}
