import java.lang.management.ManagementFactory;
import weka.attributeSelection.ReliefFAttributeEval;
import weka.core.Instances;
import weka.core.converters.ConverterUtils.DataSource;

/**
 * Times WEKA's ReliefF on a file whose last attribute is the class, after one run that lets the
 * virtual machine compile.
 *
 * Arguments: FILE and K. Prints the wall and CPU seconds of the second run, then the scores.
 */
public class WekaTime {
  public static void main(String[] arguments) throws Exception {
    Instances data = DataSource.read(arguments[0]);
    data.setClassIndex(data.numAttributes() - 1);
    fit(data, Integer.parseInt(arguments[1]));
    long wall = System.nanoTime();
    long cpu = cpu();
    ReliefFAttributeEval relief = fit(data, Integer.parseInt(arguments[1]));
    cpu = cpu() - cpu;
    wall = System.nanoTime() - wall;
    StringBuilder out = new StringBuilder(wall / 1e9 + " " + cpu / 1e9 + "\n");
    for (int index = 0; index < data.classIndex(); index++) {
      out.append(index == 0 ? "" : " ").append(relief.evaluateAttribute(index));
    }
    System.out.println(out);
  }

  private static ReliefFAttributeEval fit(Instances data, int neighbours) throws Exception {
    ReliefFAttributeEval relief = new ReliefFAttributeEval();
    relief.setNumNeighbours(neighbours);
    relief.setSampleSize(-1);
    relief.setWeightByDistance(false);
    relief.buildEvaluator(data);
    return relief;
  }

  /** CPU time of all threads of this process, in nanoseconds. */
  private static long cpu() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
