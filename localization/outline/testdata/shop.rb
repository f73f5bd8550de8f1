# frozen_string_literal: true
require 'set'

LIMIT = 3
module Shop
  # A cart.
  class Cart < Base
    RATES = {
      a: 1, end: 2,
    }.freeze
    attr_reader :class, :end

    def initialize(items = [], if: nil)
      @items = items
      return if items.empty?
      save! if valid?
      @total = if items.any? then 1 else 2 end
    end

    class << self
      def build(*args) = new(*args)
      def load(path)
        File.open(path) do |f|
          while line = f.gets do
            puts "end #{line.map { |x| "#{x}" }} def fake"
          end
        end
      end
    end

    def self.sql
      query = <<~SQL, 1
        def fake
        end
      SQL
      query.gsub(/end/, %w[def end].first)
    end

    def total=(value)
      @total = value unless frozen?
    end

    def each
      return to_enum(:each) unless block_given?
      @items.each { |i| yield i }
      begin
        x = case 1
            when 1 then 2
            end
      rescue StandardError => e
        raise
      ensure
        done
      end until finished?
      self.class.end
    end

    private def secret?; true; end

    def ==(other)
      other.is_a?(Cart)
    end
=begin
def fake
=end
  end

  class Error < StandardError; end
  class A::B::C
    def deep; end
  end
end
def top
end
__END__
def fake
