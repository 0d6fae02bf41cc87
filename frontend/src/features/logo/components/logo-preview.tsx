import { ClipboardList, Package, Upload } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { LogoHead } from '@/logo/logo-head';
import type { LogoInformation } from '@/logo/logo-value';
import { Note } from '@/ui/note';

interface LogoPreviewProps {
  measures: Pick<LogoInformation, 'size' | 'gap' | 'vertical'>;
  picture: string | undefined;
  name: string;
}

const LINKS = [
  { name: 'deliveries', icon: Package },
  { name: 'import', icon: Upload },
  { name: 'forms', icon: ClipboardList },
] as const;

/** The top of the drawer as it will be, in both themes at once. */
export function LogoPreview({ measures, picture, name }: LogoPreviewProps) {
  const { t } = useTranslation(['logo', 'navigation']);
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="min-w-0">
      <h2 id={titleId} className="text-base font-semibold">
        {t('preview.title')}
      </h2>
      <p className="mt-0.5 text-sm text-muted">{t('preview.text')}</p>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        {(['light', 'dark'] as const).map((theme) => (
          <div
            key={theme}
            role="group"
            aria-label={t(`preview.${theme}`)}
            data-theme={theme}
            className="overflow-hidden rounded-panel border border-line bg-surface text-fg"
          >
            <div className="px-4 pt-4">
              <LogoHead measures={measures} picture={picture} name={name}>
                <span className="line-clamp-2 text-title font-semibold">{name}</span>
              </LogoHead>
            </div>
            <ul className="border-t border-line px-4 py-2">
              {LINKS.map(({ name: link, icon: Icon }) => (
                <li key={link} className="flex h-8 items-center gap-2.5 text-sm text-muted">
                  <Icon aria-hidden className="size-4" />
                  {t(`links.${link}`, { ns: 'navigation' })}
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <Note className="mt-4" title={t('preview.plate.title')}>
        <p>{t('preview.plate.text')}</p>
      </Note>
    </section>
  );
}
