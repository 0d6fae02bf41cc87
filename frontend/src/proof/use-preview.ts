import { useEffect, useState } from 'react';

/** An address under which a chosen picture can be shown before it is sent anywhere. */
export function usePreview(file: File | undefined): string | undefined {
  const [preview, setPreview] = useState<string>();

  useEffect(() => {
    if (!file || !/\.(jpe?g|png|webp)$/i.test(file.name)) {
      setPreview(undefined);
      return undefined;
    }
    const address = URL.createObjectURL(file);
    setPreview(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);

  return preview;
}
