package dataplatform;

import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.apache.spark.sql.api.java.UDF3;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/**
 * What Spark's aes_encrypt(text, key, 'CBC', 'PKCS', vector) returns, as lower-case hexadecimal digits in ASCII.
 *
 * Spark asks Java for a cipher for each value, which takes twenty times as long as the encryption. Here each thread
 * keeps one. It has no type parameters, because Spark's own compiler, Janino, reads it.
 */
public final class AesCbc implements UDF3 {
  private static final long serialVersionUID = 1L;
  private static final byte[] DIGITS = "0123456789abcdef".getBytes();
  private static final ThreadLocal CIPHERS = new ThreadLocal();

  public static UserDefinedFunction function() {
    return functions.udf((UDF3) new AesCbc(), DataTypes.BinaryType).withName("AesCbc");
  }

  private static final class KeyedCipher {
    private final byte[] bytes;
    private final SecretKeySpec key;
    private final Cipher cipher;

    KeyedCipher(byte[] bytes) throws Exception {
      this.bytes = Arrays.copyOf(bytes, bytes.length);
      this.key = new SecretKeySpec(bytes, "AES");
      this.cipher = Cipher.getInstance("AES/CBC/PKCS5Padding");
    }
  }

  public Object call(Object text, Object key, Object vector) throws Exception {
    if (text == null || key == null || vector == null) {
      return null;
    }
    KeyedCipher keyed = keyedBy((byte[]) key);
    byte[] first = (byte[]) vector;
    keyed.cipher.init(Cipher.ENCRYPT_MODE, keyed.key, new IvParameterSpec(first));
    byte[] sealed = keyed.cipher.doFinal((byte[]) text);
    byte[] digits = new byte[2 * (first.length + sealed.length)];
    write(first, digits, 0);
    write(sealed, digits, 2 * first.length);
    return digits;
  }

  private static KeyedCipher keyedBy(byte[] key) throws Exception {
    KeyedCipher keyed = (KeyedCipher) CIPHERS.get();
    if (keyed == null || !Arrays.equals(keyed.bytes, key)) {
      keyed = new KeyedCipher(key);
      CIPHERS.set(keyed);
    }
    return keyed;
  }

  private static void write(byte[] bytes, byte[] digits, int start) {
    for (int place = 0; place < bytes.length; place++) {
      digits[start + 2 * place] = DIGITS[(bytes[place] >> 4) & 15];
      digits[start + 2 * place + 1] = DIGITS[bytes[place] & 15];
    }
  }
}
