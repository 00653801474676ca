import java.util.Random;
import weka.attributeSelection.ReliefFAttributeEval;
import weka.core.Instances;
import weka.core.converters.ConverterUtils.DataSource;

/**
 * Prints WEKA's ReliefF scores at full precision, one line per order of the rows.
 *
 * Arguments: FILE (the last attribute is the target), K, and optionally ORDERS and SEED. Without
 * ORDERS the rows stay as they are; otherwise they are shuffled ORDERS times.
 */
public class WekaRelief {
  public static void main(String[] arguments) throws Exception {
    Instances data = DataSource.read(arguments[0]);
    data.setClassIndex(data.numAttributes() - 1);
    int neighbours = Integer.parseInt(arguments[1]);
    int orders = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 0;
    Random random = new Random(arguments.length > 3 ? Long.parseLong(arguments[3]) : 0);
    StringBuilder out = new StringBuilder();
    for (int order = 0; order < Math.max(1, orders); order++) {
      if (orders > 0) {
        data.randomize(random);
      }
      ReliefFAttributeEval relief = new ReliefFAttributeEval();
      relief.setNumNeighbours(neighbours);
      relief.setSampleSize(-1);
      relief.setWeightByDistance(false);
      relief.buildEvaluator(data);
      for (int index = 0; index < data.classIndex(); index++) {
        out.append(index == 0 ? "" : " ").append(relief.evaluateAttribute(index));
      }
      out.append('\n');
    }
    System.out.print(out);
  }
}
