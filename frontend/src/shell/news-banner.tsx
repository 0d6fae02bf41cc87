import { Megaphone, Pause, Play, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { NEWS_HOLD, NewsStrip, useDismissNews } from '@/domain/announcements';
import { useAuth } from '@/auth/use-auth';
import { cn } from '@/ui/cn';

const buttonClasses =
  'hit-target flex size-7 shrink-0 items-center justify-center rounded-control text-inverse-fg hover:bg-fg/20 focus-visible:outline-inverse-fg';

/** Keeps the CSS variable `--news` at the height of the banner, so that the content starts below it. */
function makeRoom(banner: HTMLElement | null) {
  if (!banner) return undefined;
  const { style } = document.documentElement;
  const measure = () => {
    if (banner.offsetHeight > 0) style.setProperty('--news', `${banner.offsetHeight}px`);
  };
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(banner);
  return () => {
    observer.disconnect();
    style.removeProperty('--news');
  };
}

/** Scrolls the news three times, then disappears; with reduced motion it stays until closed. */
export function NewsBanner() {
  const { currentUser } = useAuth();
  const news = currentUser?.news ?? [];
  // The announcements that were visible when the banner was closed. A new announcement shows all of them again.
  const [gone, setGone] = useState<readonly string[]>([]);
  if (news.every((item) => gone.includes(item))) return null;
  return <Banner key={news.join('\n')} news={news} onGone={() => setGone(news)} />;
}

interface BannerProps {
  news: readonly string[];
  onGone: () => void;
}

function Banner({ news, onGone }: BannerProps) {
  const { t } = useTranslation('shell');
  const dismiss = useDismissNews();
  const [paused, setPaused] = useState(false);

  function close() {
    onGone();
    void dismiss(news);
  }

  return (
    <section
      ref={makeRoom}
      data-news-banner
      aria-label={t('news.label')}
      className={cn(
        NEWS_HOLD,
        'fixed inset-x-0 top-0 z-30 flex short:static min-h-9 items-center gap-3 bg-inverse pe-2 ps-4 text-sm text-inverse-fg motion-reduce:max-h-[30dvh] motion-reduce:overflow-y-auto motion-reduce:py-1 print:hidden',
      )}
    >
      <Megaphone aria-hidden className="size-4 shrink-0" />
      <span className="shrink-0 font-medium max-md:sr-only">{t('news.label')}</span>
      <NewsStrip messages={news} paused={paused} onEnd={onGone} />
      <button
        type="button"
        aria-label={t(paused ? 'news.play' : 'news.pause')}
        data-tip={t(paused ? 'news.play' : 'news.pause')}
        onClick={() => setPaused(!paused)}
        className={cn(buttonClasses, 'motion-reduce:hidden')}
      >
        {paused ? <Play aria-hidden className="size-4" /> : <Pause aria-hidden className="size-4" />}
      </button>
      <button type="button" aria-label={t('news.close')} data-tip={t('news.close')} onClick={close} className={buttonClasses}>
        <X aria-hidden className="size-4" />
      </button>
    </section>
  );
}
