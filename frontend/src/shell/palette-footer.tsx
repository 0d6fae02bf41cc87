import { ArrowDown, ArrowUp, CornerDownLeft } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Kbd } from '@/ui/kbd';

export function PaletteFooter() {
  const { t } = useTranslation('shell');
  return (
    <div
      aria-hidden
      className="flex h-9 items-center gap-4 border-t border-line bg-raised px-4 text-xs text-muted pointer-coarse:hidden"
    >
      <span className="flex items-center gap-1.5">
        <Kbd>
          <ArrowUp className="size-3" />
        </Kbd>
        <Kbd>
          <ArrowDown className="size-3" />
        </Kbd>
        {t('palette.move')}
      </span>
      <span className="flex items-center gap-1.5">
        <Kbd>
          <CornerDownLeft className="size-3" />
        </Kbd>
        {t('palette.select')}
      </span>
      <span className="flex items-center gap-1.5">
        <Kbd>Esc</Kbd>
        {t('palette.dismiss')}
      </span>
    </div>
  );
}
