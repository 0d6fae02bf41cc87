import { useTranslation } from 'react-i18next';

/** Logo mark with the name beside it. The text size is 0.83 and the gap 0.36 of the mark's height. */
export function Wordmark({ name }: { name: string }) {
  return (
    <span className="inline-flex items-center gap-[10px]">
      <LogoMark size={28} />
      <span className="text-[23px] leading-none font-semibold tracking-[-0.022em]">{name}</span>
    </span>
  );
}

interface LogoMarkProps {
  size?: number;
  className?: string;
}

/** The Waybill mark: a W that ends in a check mark. */
export function LogoMark({ size = 24, className }: LogoMarkProps) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" aria-hidden className={className}>
      <rect width="24" height="24" rx="6" className="fill-accent" />
      <path
        d="M5 8.6 L8.6 16.2 L11.6 10.6 L14.4 16.2 L19.2 6.6"
        className="stroke-accent-fg"
        strokeWidth="2.3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

export function PoweredBy() {
  const { t } = useTranslation('common');
  return (
    <p className="flex items-center gap-1.5 text-caps text-muted">
      {t('poweredBy')}
      <LogoMark size={13} />
      <span className="font-semibold tracking-[-0.022em] text-fg">{t('appName')}</span>
    </p>
  );
}
