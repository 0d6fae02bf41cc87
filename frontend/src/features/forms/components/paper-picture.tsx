import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import type { FormPicture } from '../queries';
import { usePicture } from '../use-picture';

interface PaperPictureProps {
  picture: FormPicture;
  className?: string;
}

const stand = 'flex h-full w-full items-center justify-center gap-1.5 p-1 text-caps text-muted';

/** A kept picture on the paper, or why it cannot be shown. */
export function PaperPicture({ picture, className }: PaperPictureProps) {
  const { t } = useTranslation('forms');
  const loaded = usePicture(picture);
  const [isBroken, setBroken] = useState(false);
  if (loaded.status === 'loading') {
    return <span data-loading className={stand} aria-label={t('pictures.loading')} role="img" />;
  }
  if (loaded.status !== 'ready' || isBroken) {
    return (
      <span className={stand}>
        <ImageOff aria-hidden className="size-4 shrink-0" />
        {loaded.status === 'damaged' ? picture.damaged : picture.unreadable}
      </span>
    );
  }
  return (
    <img
      src={loaded.address}
      alt={picture.alt}
      onError={() => setBroken(true)}
      className={cn('h-full w-full', className)}
    />
  );
}
